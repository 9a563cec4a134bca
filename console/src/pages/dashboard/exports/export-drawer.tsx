import { Divider, Stack, Tabs, Title } from '@mantine/core';
import { useState } from 'react';
import { FormDrawer } from '../../../parts/form-drawer.tsx';
import { t } from '../../../texts/t.ts';
import type { DashboardQuery } from '../dashboard-query.ts';
import { ExportForm, type ExportTab } from './export-form.tsx';
import { ExportList } from './export-list.tsx';

interface Props {
  isOpen: boolean;
  query: DashboardQuery;
  onClose: () => void;
}

export function ExportDrawer({ isOpen, query, onClose }: Props) {
  return (
    <FormDrawer opened={isOpen} onClose={onClose} title={t('dashboard.exports.title')}>
      {() => <Content query={query} />}
    </FormDrawer>
  );
}

function Content({ query }: { query: DashboardQuery }) {
  const [tab, setTab] = useState<ExportTab>('reports');
  return (
    <Stack>
      <Title order={3}>{t('dashboard.exports.new')}</Title>
      <ExportForm query={query} onStarted={setTab} />
      <Divider />
      <Title order={3}>{t('dashboard.exports.past')}</Title>
      <Tabs value={tab} onChange={(value) => setTab(value as ExportTab)} keepMounted={false}>
        <Tabs.List mb="md" aria-label={t('dashboard.exports.past')}>
          <Tabs.Tab value="reports">{t('dashboard.exports.reports')}</Tabs.Tab>
          <Tabs.Tab value="excel">{t('dashboard.exports.excel')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="reports">
          <ExportList kind="dashboard-exports" />
        </Tabs.Panel>
        <Tabs.Panel value="excel">
          <ExportList kind="dashboard/excel-exports" />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
