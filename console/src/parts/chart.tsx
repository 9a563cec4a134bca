import '@mantine/charts/styles.css';
import { AreaChart, BarChart, LineChart } from '@mantine/charts';
import { ActionIcon, Box, Group, ScrollArea, Table, Text, Title, Tooltip } from '@mantine/core';
import { ChartLine, Table2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { t } from '../texts/t.ts';
import { numberText, shortNumber } from './number-text.ts';

export interface Series<Row> {
  key: keyof Row & string;
  label: string;
  color: string;
}

/** Indices of the first and the last row. */
export interface Drawn {
  first: number;
  last: number;
}

interface Props<Row extends object> {
  kind: 'line' | 'area' | 'bar' | 'stacked-bar';
  /** Label for screen readers. */
  label: string;
  rows: readonly Row[];
  /** Rows to draw, all by default. The table has all rows. */
  drawn?: Drawn;
  /** Key of the axis label in a row. */
  along: keyof Row & string;
  /** Table heading for `along`. */
  alongLabel: string;
  alongText?: (value: string) => string;
  series: readonly Series<Row>[];
  valueText?: (value: number) => string;
  /** Axis format, if it differs from the value format. */
  tickText?: (value: number) => string;
  height?: number;
  /** Fixed range of the axis, such as [0, 5] for ratings. */
  scale?: [number, number];
  heading?: string;
}

/** A chart with an equivalent table. */
export function Chart<Row extends object>(props: Props<Row>) {
  const { label, rows, height = 240, heading } = props;
  const [isTable, setTable] = useState(false);
  if (rows.length === 0) {
    return (
      <>
        {heading && <Title order={3}>{heading}</Title>}
        <Box h={height} display="grid" style={{ placeItems: 'center' }}>
          <Text c="dimmed" size="sm">
            {t('parts.chart.noData')}
          </Text>
        </Box>
      </>
    );
  }
  const switchLabel = t(isTable ? 'parts.chart.asChart' : 'parts.chart.asTable');
  return (
    <Box component="figure" m={0} aria-label={label}>
      <Group justify="flex-end" gap={4} mb={4} wrap="nowrap">
        {heading && (
          <Title order={3} flex={1}>
            {heading}
          </Title>
        )}
        <Tooltip label={switchLabel}>
          <ActionIcon aria-label={`${label}: ${switchLabel}`} onClick={() => setTable(!isTable)}>
            {isTable ? <ChartLine size={16} aria-hidden /> : <Table2 size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      </Group>
      {isTable ? <AsTable {...props} /> : <Picture {...props} height={height} />}
    </Box>
  );
}

function Picture<Row extends object>(props: Props<Row> & { height: number }) {
  const { kind, label, along, alongText, series, valueText = numberText, tickText = valueText, height, scale } = props;
  const rows = props.drawn ? props.rows.slice(props.drawn.first, props.drawn.last + 1) : props.rows;
  const common = {
    h: height,
    data: rows as unknown as Record<string, unknown>[],
    dataKey: along,
    series: series.map(({ key, label: name, color }) => ({ name: key, label: name, color: `${color}.5` })),
    valueFormatter: valueText,
    withLegend: series.length > 1,
    legendProps: { itemSorter: null },
    xAxisProps: {
      ...(alongText && { tickFormatter: alongText }),
      minTickGap: 24,
      interval: 'equidistantPreserveStart' as const,
    },
    yAxisProps: {
      width: 52,
      interval: 0,
      allowDecimals: valueText !== numberText,
      tickFormatter: (value: number) => (tickText === numberText ? shortNumber(value) : tickText(value)),
      ...(scale && { domain: scale, ticks: fifthsOf(scale) }),
    },
    tooltipProps: alongText ? { labelFormatter: (value: ReactNode) => alongText(String(value)) } : {},
    role: 'img',
    'aria-label': label,
    tabIndex: -1,
  };
  if (kind === 'bar') return <BarChart {...common} maxBarWidth={widestBar} />;
  if (kind === 'stacked-bar') return <BarChart {...common} maxBarWidth={widestBar} type="stacked" />;
  // Straight lines: curves show values that were never measured, even below zero.
  const line = {
    ...common,
    curveType: 'linear' as const,
    withDots: rows.length < mostDots || hasLonePoint(rows, series),
  };
  return kind === 'area' ? <AreaChart {...line} /> : <LineChart {...line} />;
}

const widestBar = 48;
const mostDots = 32;

/** A value between two gaps has no line, so draw a dot. */
function hasLonePoint<Row extends object>(rows: readonly Row[], series: readonly Series<Row>[]): boolean {
  const isGap = (index: number, key: keyof Row) => (rows[index]?.[key] ?? null) === null;
  return series.some(({ key }) =>
    rows.some((_, index) => !isGap(index, key) && isGap(index - 1, key) && isGap(index + 1, key)),
  );
}

const fifthsOf = ([from, to]: [number, number]) => [0, 1, 2, 3, 4, 5].map((part) => from + (part * (to - from)) / 5);

function AsTable<Row extends object>({
  label,
  rows,
  along,
  alongLabel,
  alongText = String,
  series,
  valueText = numberText,
  height,
}: Props<Row>) {
  return (
    <ScrollArea.Autosize mah={height ?? 240} viewportProps={{ tabIndex: 0 }}>
      <Table aria-label={label} stickyHeader verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{alongLabel}</Table.Th>
            {series.map(({ key, label: name }) => (
              <Table.Th key={key} scope="col" ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={String(row[along])}>
              <Table.Th scope="row" fw={400}>
                {alongText(String(row[along]))}
              </Table.Th>
              {series.map(({ key }) => (
                <Table.Td key={key} ta="right">
                  {row[key] === null || row[key] === undefined ? '–' : valueText(Number(row[key]))}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  );
}
