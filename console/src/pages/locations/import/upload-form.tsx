import { Button, FileInput, Group, Stack } from '@mantine/core';
import { FileUp } from 'lucide-react';
import { useState } from 'react';
import type { InputOf } from '../../../api/call.ts';
import { useHasPermission } from '../../../api/session.ts';
import { useApiWrite } from '../../../api/use-api.ts';
import { FormProblem } from '../../../parts/form-problems.tsx';
import { BusinessChoice } from '../../../parts/searched-choice.tsx';
import { Section } from '../../../parts/section.tsx';
import { t } from '../../../texts/t.ts';
import { uploadProblemText } from './upload-problem.ts';

type Upload = InputOf<'POST /api/location-imports'>;

export function UploadForm({ onUploaded }: { onUploaded: (id: number) => void }) {
  const mayCreate = useHasPermission('LOCATION_CREATE');
  const [file, setFile] = useState<File | null>(null);
  const [businessId, setBusinessId] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const upload = useApiWrite('POST /api/location-imports', { changes: ['GET /api/location-imports'] });
  const submit = () => {
    if (!file) {
      setProblem(t('imports.fileNeeded'));
      return;
    }
    setProblem(undefined);
    const body = new FormData();
    body.append('file', file, file.name);
    const query = businessId === undefined ? {} : { businessId };
    // The OpenAPI document has no schema for the multipart body.
    upload.mutate({ query, body } as Upload, {
      onSuccess: ({ id }) => {
        setFile(null);
        onUploaded(id);
      },
      onError: (error) => setProblem(uploadProblemText(error, mayCreate)),
    });
  };
  return (
    <Section title={t('imports.upload')} text={t('imports.uploadText')}>
      <Stack>
        <FormProblem message={problem} />
        <Group align="end" gap="sm">
          <FileInput
            label={t('imports.file')}
            placeholder={t('imports.choose')}
            accept=".csv,.txt,text/csv"
            leftSection={<FileUp size={16} aria-hidden />}
            value={file}
            onChange={setFile}
            styles={{ placeholder: { color: 'var(--mantine-color-dimmed)' } }}
            clearable
            clearButtonProps={{ 'aria-label': t('imports.clearFile') }}
            flex="1 1 16rem"
          />
          {mayCreate && (
            <BusinessChoice
              label={t('imports.business')}
              placeholder={t('imports.businessNone')}
              value={businessId}
              onChange={setBusinessId}
              clearable
              flex="1 1 14rem"
            />
          )}
          <Button onClick={submit} loading={upload.isPending}>
            {t('imports.start')}
          </Button>
        </Group>
      </Stack>
    </Section>
  );
}
