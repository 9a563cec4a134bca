import { Alert, Group, MultiSelect, Select, Skeleton, Stack, Text } from '@mantine/core';
import type { ResponseOf } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { Chart } from '../../parts/chart.tsx';
import { EmptyList } from '../../parts/data-list/list-state.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { dayText } from '../../parts/time-text.ts';
import { TryAgain } from '../../parts/try-again.tsx';
import { useDirectoryName, useMetrics } from '../../parts/use-directories.ts';
import { t, tn } from '../../texts/t.ts';
import { type DashboardQuery, type DashboardSearch, periodText } from './dashboard-query.ts';
import { drawnPeriods } from './drawn-periods.ts';
import { InsightTotals, sumOf } from './insight-totals.tsx';
import { metricName } from './metric-name.ts';

interface Props {
  query: DashboardQuery;
  directory: string | undefined;
  metrics: readonly string[] | undefined;
  onChange: (change: DashboardSearch) => void;
}

export function InsightSection({ query, directory, metrics: requested, onChange }: Props) {
  const { scope, span } = query;
  const nameOf = useDirectoryName();
  const availability = useApi(
    'GET /api/dashboard/data-availability',
    { query: { ...scope, ...span } },
    { keepPrevious: true },
  );
  const directories = availability.data?.byDirectory ?? [];
  const chosen =
    directories.find(({ directoryType }) => directoryType === directory) ?? preferredDirectory(directories);
  const { metrics: supported, isPending } = useMetrics(chosen?.directoryType);
  const metrics = supported ? supportedOnly(requested, supported) : requested;
  const isReady = !requested || !isPending;
  return (
    <Section
      title={t('dashboard.insights.title')}
      text={t('dashboard.insights.text')}
      actions={
        chosen && (
          <Group gap="xs">
            <Select
              size="sm"
              aria-label={t('dashboard.insights.directory')}
              data={directories.map(({ directoryType }) => ({ value: directoryType, label: nameOf(directoryType) }))}
              value={chosen.directoryType}
              onChange={(value) => onChange({ directory: value ?? undefined, metric: undefined })}
              w={180}
            />
            <MetricChoice supported={supported ?? metrics ?? []} metrics={metrics} onChange={onChange} />
          </Group>
        )
      }
    >
      <Loaded query={availability} height={320}>
        {() =>
          chosen ? (
            <Stack gap="sm">
              <Text size="sm" c="dimmed">
                {availabilityText(chosen, query)}
              </Text>
              <InsightWarnings scope={scope} directory={chosen.directoryType} />
              {chosen.counted && !isReady && <Skeleton height={320} />}
              {chosen.counted && isReady && (
                <Figures query={query} available={chosen} directory={chosen.directoryType} metrics={metrics} />
              )}
            </Stack>
          ) : (
            <EmptyList title={t('dashboard.insights.none')} text={t('dashboard.insights.noneText')} />
          )
        }
      </Loaded>
    </Section>
  );
}

const preferredDirectory = <T extends { directoryType: string }>(directories: readonly T[]): T | undefined =>
  directories.find(({ directoryType }) => directoryType === 'GOOGLE') ?? directories[0];

/** The URL can contain metrics of another directory, which the API would reject. */
function supportedOnly(metrics: readonly string[] | undefined, supported: readonly string[]): string[] | undefined {
  const kept = metrics?.filter((name) => supported.includes(name)) ?? [];
  return kept.length > 0 ? kept : undefined;
}

type MetricChoiceProps = Pick<Props, 'metrics' | 'onChange'> & { supported: readonly string[] };

function MetricChoice({ supported, metrics, onChange }: MetricChoiceProps) {
  return (
    <MultiSelect
      size="sm"
      aria-label={t('dashboard.insights.metrics')}
      placeholder={metrics ? undefined : t('dashboard.insights.allMetrics')}
      data={supported.map((value) => ({ value, label: metricName(value) }))}
      value={[...(metrics ?? [])]}
      onChange={(values) => onChange({ metric: values.length > 0 ? values : undefined })}
      clearable
      miw={180}
      maw={420}
    />
  );
}

type Available = ResponseOf<'GET /api/dashboard/data-availability'>['byDirectory'][number];

/** Until when data is available, and which days the figures cover if not all selected ones. */
function availabilityText({ countedUntil, counted, compared }: Available, { span }: DashboardQuery): string {
  const day = dayText(countedUntil);
  if (!counted) return t('dashboard.insights.notCounted', { day });
  const { startDate, endDate } = counted;
  if (startDate === span.startDate && endDate === span.endDate) return t('dashboard.insights.until', { day });
  const days = { day, from: dayText(startDate), to: dayText(endDate) };
  if (!compared) return t('dashboard.insights.part', days);
  const { startDate: first, endDate: last } = compared;
  return t('dashboard.insights.partCompared', { ...days, beforeFrom: dayText(first), beforeTo: dayText(last) });
}

function InsightWarnings({ scope, directory }: { scope: DashboardQuery['scope']; directory: string }) {
  const { data, error, refetch } = useApi('GET /api/dashboard/insights-data/warnings', {
    query: { ...scope, type: directory },
  });
  if (error && !data) return <TryAgain error={error} onRetry={refetch} />;
  const { missingConnection = 0, missingPermission = 0 } = data?.warnings ?? {};
  if (missingConnection + missingPermission === 0) return null;
  return (
    <Alert color="orange">
      {missingConnection > 0 && tn('dashboard.insights.missingConnection', missingConnection)}{' '}
      {missingPermission > 0 && tn('dashboard.insights.missingPermission', missingPermission)}
    </Alert>
  );
}

const maxLines = 4;
const colors = ['harbour', 'teal', 'orange', 'grape', 'pink', 'cyan', 'lime', 'indigo', 'yellow', 'red'];

type FiguresProps = Pick<Props, 'query' | 'metrics'> & { available: Available; directory: string };

function Figures({ query: { scope, group }, available, directory, metrics }: FiguresProps) {
  const { counted: span, compared: before } = available;
  const baseQuery = { ...scope, type: directory, group, ...(metrics && { metrics: [...metrics] }) };
  const now = useApi('GET /api/dashboard/insights-data', { query: { ...baseQuery, ...span } }, { keepPrevious: true });
  const then = useApi(
    'GET /api/dashboard/insights-data',
    { query: { ...baseQuery, ...before } },
    { enabled: before !== undefined },
  );
  const isComparing = before !== undefined && (now.isPlaceholderData || then.isPending);
  return (
    <Loaded query={now} height={320}>
      {({ metrics: found }) => {
        // Without a selection, only the largest metrics are drawn; the table has all of them.
        const largest = [...found].sort((a, b) => (sumOf(b) ?? 0) - (sumOf(a) ?? 0)).slice(0, maxLines);
        const drawn = metrics ? found : found.filter((metric) => largest.includes(metric));
        const periods = found[0]?.data.map(({ period }) => period) ?? [];
        const rows = periods.map((period, index) => ({
          period,
          ...Object.fromEntries(found.map(({ name, data }) => [name, data[index]?.count ?? 0])),
        })) as Record<string, string | number>[];
        return (
          <Stack gap="lg">
            <Chart
              kind="line"
              label={t('dashboard.insights.title')}
              rows={rows}
              {...(span && { drawn: drawnPeriods(found[0]?.data ?? [], group, span) })}
              along="period"
              alongLabel={t('dashboard.periodColumn')}
              alongText={periodText(group)}
              series={drawn.map(({ name }, index) => ({
                key: name,
                label: metricName(name),
                color: colors[index % colors.length] ?? 'harbour',
              }))}
              height={280}
            />
            {then.error && <TryAgain error={then.error} onRetry={then.refetch} />}
            <InsightTotals
              now={found}
              before={before && !isComparing ? then.data?.metrics : undefined}
              isComparing={isComparing}
            />
          </Stack>
        );
      }}
    </Loaded>
  );
}
