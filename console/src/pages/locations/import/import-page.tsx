import { Button, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { apiUrl } from '../../../api/call.ts';
import { PageHeader } from '../../../parts/page-header.tsx';
import { useSearchChange } from '../../../parts/use-search-change.ts';
import { t } from '../../../texts/t.ts';
import { ColumnHelp } from './column-help.tsx';
import { UploadForm } from './upload-form.tsx';
import { UploadResult } from './upload-result.tsx';
import { Uploads } from './uploads.tsx';

const route = getRouteApi('/shell/locations/import');

export function ImportPage() {
  const { upload } = route.useSearch();
  const change = useSearchChange<{ upload?: number | undefined }>();
  return (
    <>
      <PageHeader
        title={t('imports.title')}
        text={t('imports.lead')}
        trail={[{ label: t('locations.title'), to: '/locations' }]}
        actions={
          <Button
            component="a"
            href={apiUrl('GET /api/location-imports/template.csv')}
            download
            variant="default"
            leftSection={<Download size={16} aria-hidden />}
          >
            {t('imports.template')}
          </Button>
        }
      />
      <Stack gap="lg">
        <UploadForm onUploaded={(id) => change({ upload: id })} />
        {upload !== undefined && <UploadResult key={upload} id={upload} />}
        <ColumnHelp />
        <Uploads chosen={upload} onChoose={(id) => change({ upload: id })} />
      </Stack>
    </>
  );
}
