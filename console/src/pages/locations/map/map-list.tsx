import { Anchor, Button, Group, Paper, ScrollArea, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { t, tn } from '../../../texts/t.ts';
import { LocationStatusBadge } from '../location-status.tsx';
import classes from './locations-map.module.css';
import type { MapPoint } from './map-points.ts';

interface Props {
  points: readonly MapPoint[];
  chosen: number | undefined;
  onShow: (point: MapPoint) => void;
  isPending: boolean;
}

const mostListed = 100;

export function MapList({ points, chosen, onShow, isPending }: Props) {
  const marked = useRef<HTMLLIElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to the selected location only
  useEffect(() => {
    // Not returned: newer browsers return a promise, which is not a cleanup function.
    marked.current?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const sorted = [...points].sort((a, b) => a.name.localeCompare(b.name));
  const chosenFirst = sorted.filter(({ id }) => id === chosen);
  const listed = [...chosenFirst, ...sorted.filter(({ id }) => id !== chosen)].slice(0, mostListed);
  return (
    <Paper withBorder className={classes.list}>
      <Title order={2} size="h3" p="sm" pb={4}>
        {tn('locations.map.inView', points.length)}
      </Title>
      {isPending && (
        <Stack p="sm">
          <Skeleton height={40} />
          <Skeleton height={40} />
        </Stack>
      )}
      <ScrollArea.Autosize
        mah={460}
        viewportProps={{ tabIndex: 0, 'aria-label': t('locations.map.list'), role: 'region' }}
      >
        <ul className={classes.entries}>
          {listed.map((point) => (
            <li
              key={point.id}
              ref={point.id === chosen ? marked : undefined}
              className={classes.entry}
              data-chosen={point.id === chosen || undefined}
            >
              <Group justify="space-between" wrap="nowrap" gap="xs" align="start">
                <div style={{ minWidth: 0 }}>
                  <Anchor component={Link} to={`/locations/${point.id}`} size="sm" fw={600} c="inherit">
                    {point.name}
                  </Anchor>
                  <Text size="xs" c="dimmed">
                    {point.city}
                  </Text>
                </div>
                <Stack gap={4} align="end">
                  <LocationStatusBadge status={point.status} />
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    aria-label={t('locations.map.showOne', { name: point.name })}
                    onClick={() => onShow(point)}
                  >
                    {t('locations.map.show')}
                  </Button>
                </Stack>
              </Group>
            </li>
          ))}
        </ul>
        {points.length > listed.length && (
          <Text size="xs" c="dimmed" p="sm">
            {t('locations.map.more', { count: points.length - listed.length })}
          </Text>
        )}
      </ScrollArea.Autosize>
    </Paper>
  );
}
