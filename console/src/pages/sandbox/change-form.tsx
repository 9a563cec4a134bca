import { Button, Select, Stack } from '@mantine/core';
import { PencilLine } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { FormProblem } from '../../parts/form-problems.tsx';
import { Section } from '../../parts/section.tsx';
import { t, textOrWords } from '../../texts/t.ts';
import { sandbox } from './sandbox-texts.ts';
import type { FormProps } from './trigger.ts';
import { useTrigger } from './use-trigger.ts';

export function ChangeForm({ listing, onTriggered }: FormProps) {
  const { run, isBusy, problem } = useTrigger('page', onTriggered);
  const [field, setField] = useState('any');
  const change = () => {
    if (!listing) return;
    void run(listing.id, async () => {
      const body = { listingId: listing.id, ...(field !== 'any' && { field }) };
      const changed = await call('POST /api/sandbox/listing-changes', { body });
      const value = typeof changed.value === 'string' ? changed.value : JSON.stringify(changed.value);
      return t('sandbox.change.done', {
        directory: listing.typeName,
        field: textOrWords('sandbox.change.fields', changed.field).toLowerCase(),
        value: value.length > 60 ? `${value.slice(0, 60)}…` : value,
      });
    });
  };
  return (
    <Section title={t('sandbox.change.title')} text={t('sandbox.change.text')}>
      <Stack gap="sm">
        <Select
          label={t('sandbox.change.field')}
          data={Object.entries(sandbox.change.fields).map(([value, label]) => ({ value, label }))}
          value={field}
          onChange={(value) => setField(value ?? 'any')}
        />
        <FormProblem message={problem} />
        <Button
          onClick={change}
          loading={isBusy}
          disabled={!listing}
          leftSection={<PencilLine size={16} aria-hidden />}
        >
          {t('sandbox.change.submit')}
        </Button>
      </Stack>
    </Section>
  );
}
