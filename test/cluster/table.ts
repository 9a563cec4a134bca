import type { Measurement } from './load.ts';

export interface Result extends Measurement {
  scenario: string;
  lost: number;
  /** What did not recover. */
  failure?: string;
  skipped?: string;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** One row per scenario, as Markdown. */
export function table(results: readonly Result[]): string {
  const rows = results.map((result) =>
    result.skipped === undefined
      ? [
          result.scenario,
          seconds(result.gapMs),
          String(result.acknowledged),
          String(result.lost),
          String(result.duplicates),
          [...result.failures].map(([reason, count]) => `${count} × ${reason}`).join(', ') || '0',
          seconds(result.longestCallMs),
          isPassed(result) ? 'yes' : 'no',
        ]
      : [result.scenario, ...Array(6).fill(''), `skipped: ${result.skipped}`],
  );
  const header = [
    'scenario',
    'without a 2xx',
    'acknowledged',
    'lost',
    'duplicates',
    'failed calls',
    'longest call',
    'recovered',
  ];
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(header), rule, ...rows.map(line)].join('\n');
}

export const isPassed = ({ failure, lost, violations }: Result): boolean =>
  failure === undefined && lost === 0 && violations.length === 0;
