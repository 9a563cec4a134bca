import { Accordion, Button, Card, Code, List, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { apiUrl } from '../../../api/call.ts';
import { PageHeader } from '../../../parts/page-header.tsx';
import { useSearchChange } from '../../../parts/use-search-change.ts';
import { t } from '../../../texts/t.ts';
import { UploadForm } from './upload-form.tsx';
import { UploadResult } from './upload-result.tsx';
import { Uploads } from './uploads.tsx';

const route = getRouteApi('/shell/locations/import');

export function ImportPage() {
  const { upload, offset } = route.useSearch();
  const change = useSearchChange<{ upload?: number | undefined; offset?: number | undefined }>();
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
        <Uploads chosen={upload} onChoose={(id) => change({ upload: id, offset })} />
      </Stack>
    </>
  );
}

const required = ['name', 'street', 'city', 'country', 'categories'];

function ColumnHelp() {
  return (
    <Card padding={0}>
      <Accordion variant="filled" order={2}>
        <Accordion.Item value="columns">
          <Accordion.Control fw={600}>{t('imports.help.title')}</Accordion.Control>
          <Accordion.Panel>
            <List size="sm" spacing={6}>
              <List.Item>{t('imports.help.form')}</List.Item>
              <List.Item>
                {t('imports.help.required')}{' '}
                {required.map((name) => (
                  <Code key={name} mr={4}>
                    {name}
                  </Code>
                ))}
              </List.Item>
              <List.Item>{t('imports.help.match')}</List.Item>
              <List.Item>{t('imports.help.empty')}</List.Item>
              <List.Item>
                {t('imports.help.hours')} <Code>mondayFrom1</Code> <Code>mondayTo1</Code> <Code>mondayFrom2</Code>{' '}
                <Code>mondayTo2</Code>
              </List.Item>
              <List.Item>{t('imports.help.lists')}</List.Item>
              <List.Item>{t('imports.help.categories')}</List.Item>
            </List>
            <Text size="sm" c="dimmed" mt="sm">
              {t('imports.help.errors')}
            </Text>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Card>
  );
}
