import { textOrWords } from '../../texts/t.ts';

/** What people call what a directory counts. */
export const metricName = (name: string): string => textOrWords('dashboard.metricNames', name);
