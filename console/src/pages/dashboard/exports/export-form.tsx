import { Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { InputOf } from '../../../api/call.ts';
import { useApiWrite } from '../../../api/use-api.ts';
import { ApiForm } from '../../../parts/api-form.tsx';
import { FormButtons } from '../../../parts/form-buttons.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { keysOf, t } from '../../../texts/t.ts';
import type { DashboardQuery } from '../dashboard-query.ts';
import { dashboard } from '../dashboard-texts.ts';

const kinds = ['pdf', 'dashboard', 'insights'] as const;
type Language = NonNullable<NonNullable<InputOf<'POST /api/dashboard-exports'>['body']>['language']>;
const languages = keysOf<Language>(dashboard.exports.languages);

export type ExportTab = 'reports' | 'excel';

interface Values {
  kind: (typeof kinds)[number];
  name: string;
  language: Language;
}

interface Props {
  query: DashboardQuery;
  onStarted: (tab: ExportTab) => void;
}

export function ExportForm({ query: { scope, span, group }, onStarted }: Props) {
  const form = useForm<Values>({ initialValues: { kind: 'pdf', name: '', language: 'en' } });
  const started = (tab: ExportTab) => {
    notifyDone(t('dashboard.exports.started'));
    form.setFieldValue('name', '');
    onStarted(tab);
  };
  const report = useApiWrite('POST /api/dashboard-exports', {
    changes: ['GET /api/dashboard-exports'],
    onSuccess: () => started('reports'),
  });
  const excel = useApiWrite('POST /api/dashboard/excel-exports', {
    changes: ['GET /api/dashboard/excel-exports'],
    onSuccess: () => started('excel'),
  });
  const submit = ({ kind, name, language }: Values) => {
    const common = { ...scope, group, language, ...(name.trim() && { name: name.trim() }) };
    if (kind === 'pdf') {
      return report.mutateAsync({ body: { ...common, format: kind, start: span.startDate, end: span.endDate } });
    }
    return excel.mutateAsync({ body: { ...common, ...span, type: kind === 'dashboard' ? 'DASHBOARD' : 'INSIGHTS' } });
  };
  return (
    <ApiForm form={form} onSubmit={submit} gap="sm">
      <Text size="sm" c="dimmed">
        {t('dashboard.exports.newText')}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label={t('dashboard.exports.what')}
          data={kinds.map((value) => ({ value, label: t(`dashboard.exports.kinds.${value}`) }))}
          {...form.getInputProps('kind')}
        />
        <Select
          label={t('dashboard.exports.language')}
          data={languages.map((value) => ({ value, label: t(`dashboard.exports.languages.${value}`) }))}
          {...form.getInputProps('language')}
        />
      </SimpleGrid>
      <TextInput
        label={t('dashboard.exports.name')}
        description={t('dashboard.exports.nameHint')}
        {...form.getInputProps('name')}
      />
      <FormButtons loading={form.submitting}>{t('dashboard.exports.start')}</FormButtons>
    </ApiForm>
  );
}
