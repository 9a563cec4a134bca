import { textOrWords } from '../../texts/t.ts';

export const metricName = (name: string): string => textOrWords('dashboard.metricNames', name);
