import { Group, Pagination, Text } from '@mantine/core';
import { t } from '../../texts/t.ts';
import { numberText } from '../number-text.ts';
import type { Paging } from './column.ts';

export function ListPages({ paging, count, isExact }: { paging: Paging; count: number; isExact: boolean }) {
  const { offset, max, onChange } = paging;
  const pageCount = Math.ceil(count / max);
  if (pageCount <= 1) return null;
  const range = {
    from: numberText(offset + 1),
    to: numberText(Math.min(offset + max, count)),
    count: numberText(count),
  };
  return (
    <Group justify="space-between" gap="sm">
      <Text size="sm" c="dimmed">
        {t(isExact ? 'parts.list.range' : 'parts.list.rangeAtMost', range)}
      </Text>
      <Pagination
        total={pageCount}
        value={Math.floor(offset / max) + 1}
        onChange={(page) => onChange((page - 1) * max)}
        size="sm"
        aria-label={t('parts.list.pages')}
        getControlProps={(control) => ({ 'aria-label': control })}
        getItemProps={(page) => ({ 'aria-label': `${page}` })}
      />
    </Group>
  );
}
