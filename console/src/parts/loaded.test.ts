import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { ApiProblem } from '../api/api-problem.ts';
import { InsightSection } from '../pages/dashboard/insight-section.tsx';
import { Completeness } from '../pages/locations/profile/completeness.tsx';
import { LabelChoice } from './label-choice.tsx';
import { Loaded } from './loaded.tsx';

const error = new ApiProblem(500, { message: 'Not available.' });

/** Renders with queries in the state after a failed request. */
function render(element: ReactNode, failed: readonly [key: unknown[], data: unknown][] = []): string {
  const client = new QueryClient({ defaultOptions: { queries: { retryOnMount: false } } });
  for (const [queryKey, data] of failed)
    client.getQueryCache().build(client, { queryKey }).setState({ data, error, status: 'error', dataUpdatedAt: 1 });
  return renderToStaticMarkup(
    createElement(MantineProvider, null, createElement(QueryClientProvider, { client }, element)),
  );
}

describe('a failed request', () => {
  const loaded = (data: string | undefined) =>
    Loaded({ query: { data, error, isFetching: false, refetch: () => {} }, children: (text) => text });

  test('shows the error, and the data of an earlier request', () => {
    expect(render(loaded(undefined))).toContain('Not available.');
    expect(render(loaded('Earlier data'))).toMatch(/Not available\..*Earlier data/);
  });

  const completeness = (data: unknown) =>
    render(createElement(Completeness, { locationId: 7 }), [
      [['GET /api/locations/{id}/completeness', { path: { id: 7 } }], data],
    ]);

  test('keeps the completeness of a profile', () => {
    expect(completeness(undefined)).toContain('Not available.');
    expect(completeness({ profileCompleteness: 85, levels: [] })).toContain('85');
  });

  const labels = (data: unknown) =>
    render(createElement(LabelChoice, { value: [1], onChange: () => {} }), [
      [['GET /api/labels', 'whole', { offset: 0, max: 500 }], data],
    ]);

  test('marks a field as invalid only without options', () => {
    expect(labels(undefined)).toContain('Not available.');
    expect(labels([{ id: 1, name: 'North' }])).toContain('North');
    expect(labels([{ id: 1, name: 'North' }])).not.toContain('Not available.');
  });

  test('keeps the metrics of the URL without the list of directories', () => {
    const span = { startDate: '2026-10-01', endDate: '2026-10-31' };
    const query = { scope: {}, span, before: span, group: 'WEEK' as const };
    const props = { query, directory: undefined, metrics: ['WEBSITE_CLICKS'], onChange: () => {} };
    const byDirectory = [{ directoryType: 'GOOGLE', countedUntil: '2026-09-30' }];
    expect(
      render(createElement(InsightSection, props), [
        [['GET /api/dashboard/data-availability', { query: span }], { byDirectory }],
        [['GET /api/directories', {}], undefined],
      ]),
    ).toContain('Website visits');
  });
});
