import { MantineProvider } from '@mantine/core';
import { createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ApiProblem } from '../../api/api-problem.ts';
import type { Source } from './column.ts';
import { DataList } from './data-list.tsx';

const error = new ApiProblem(500, { message: 'Not available.' });
const router = createRouter({ routeTree: createRootRoute() });

function render(source: Partial<Source<string>>, offset = 0): string {
  const list = createElement(DataList<string>, {
    label: 'Rows',
    source: { rows: ['Row 1', 'Row 2'], error: null, isPending: false, refetch: () => {}, ...source },
    columns: [{ key: 'name', title: 'Name', render: (row) => row }],
    rowKey: String,
    empty: { title: 'None' },
    paging: { offset, max: 50, onChange: () => {} },
  });
  const children = RouterContextProvider({ router, children: list });
  return renderToStaticMarkup(createElement(MantineProvider, null, children));
}

test('shows the error of a failed reload above the rows', () => {
  expect(render({ error })).toMatch(/Not available\..*Row 1/);
  expect(render({ error, hasMore: true, loadMore: () => {} })).toMatch(/Not available\..*Row 1/);
});

test('shows at the end of the rows that more rows cannot be loaded', () => {
  const text = render({ error, hasMore: true, loadMore: () => {}, hasLoadMoreError: true });
  expect(text.split('Not available.')).toEqual([expect.stringContaining('Row 2'), expect.any(String)]);
});

test('numbers the rows of all pages, with the headings as the first row', () => {
  const attributes = (source: Partial<Source<string>>) => render(source, 50).match(/aria-row\w+="-?\d+"/g);
  const rows = ['aria-rowindex="1"', 'aria-rowindex="52"', 'aria-rowindex="53"'];
  expect(attributes({ count: 52 })).toEqual(['aria-rowcount="53"', ...rows]);
  expect(attributes({ count: 52, countIsExact: false })).toEqual(['aria-rowcount="-1"', ...rows]);
});
