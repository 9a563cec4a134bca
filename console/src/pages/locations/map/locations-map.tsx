import { ActionIcon, Button, Paper, Text } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { geoPath } from 'd3-geo';
import { LocateFixed, Minus, Plus } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlas from 'world-atlas/countries-50m.json';
import { TryAgain } from '../../../parts/try-again.tsx';
import { t, tn } from '../../../texts/t.ts';
import { type LocationSearch, locationFilters } from '../location-filters.ts';
import classes from './locations-map.module.css';
import { MapList } from './map-list.tsx';
import { type MapPoint, useMapPoints } from './map-points.ts';
import {
  type Cluster,
  clustersIn,
  fitted,
  type MapView,
  placePoints,
  projection,
  worldHeight,
  worldWidth,
  zoomed,
} from './map-view.ts';
import { usePanning } from './use-panning.ts';

type Atlas = Topology<{ countries: GeometryCollection; land: GeometryCollection }>;

const world = atlas as unknown as Atlas;
const path = geoPath(projection).digits(2);

const landPath = path(feature(world, world.objects.land)) ?? '';
const borderPath = path(mesh(world, world.objects.countries, (a, b) => a !== b)) ?? '';

interface Props {
  search: LocationSearch;
  onClearFilters: () => void;
}

/** Everything on the map is also available in the list, for keyboard and screen reader users. */
export default function LocationsMap({ search, onClearFilters }: Props) {
  const found = useMapPoints(search);
  const places = useMemo(() => placePoints(found.data?.points ?? []), [found.data]);
  const { ref, width, height } = useElementSize<HTMLDivElement>();
  const [view, setView] = useState<MapView>();
  const [chosen, setChosen] = useState<number>();
  const size = { width, height };
  const least = Math.max(width / worldWidth, height / worldHeight);
  const filters = JSON.stringify(locationFilters.query(search));
  // Fits the view to the locations of new filters. Locations that change later keep it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again when the locations of new filters are loaded
  useEffect(() => {
    if (width > 0 && !found.isPlaceholderData) setView(fitted(places, { width, height }));
  }, [filters, found.isPlaceholderData, found.isPending, width, height]);
  const { map, handlers } = usePanning(setView, least);
  const frame = useMergedRef(ref, map);
  const clusters = useMemo(
    () => (view && width > 0 ? clustersIn(places, view, { width, height }) : []),
    [places, view, width, height],
  );
  if (found.error && !found.data) return <TryAgain error={found.error} onRetry={found.refetch} />;
  const zoom = (factor: number) =>
    setView((before) => before && zoomed(before, factor, [width / 2, height / 2], least));
  const inSight = clusters.flatMap(({ members }) => members.map(({ point }) => point));
  const show = (point: MapPoint) => {
    setChosen(point.id);
    const place = places.find((one) => one.point.id === point.id);
    if (place) setView(fitted([place], size));
  };
  return (
    <div className={classes.layout}>
      <Paper withBorder className={classes.frame} aria-busy={found.isFetching}>
        <div ref={frame} className={classes.map} {...handlers}>
          {view && (
            <svg width={width} height={height} className={classes.world} aria-hidden="true" focusable="false">
              <g transform={`translate(${view.x} ${view.y}) scale(${view.k})`}>
                <path d={landPath} className={classes.land} />
                <path d={borderPath} className={classes.borders} />
              </g>
            </svg>
          )}
          {clusters.map((cluster) => (
            <Mark
              key={cluster.key}
              cluster={cluster}
              chosen={chosen}
              onOpen={() => {
                const [only] = cluster.members;
                if (cluster.members.length === 1 && only) setChosen(only.point.id);
                else setView(fitted(cluster.members, size));
              }}
            />
          ))}
        </div>
        <div className={classes.controls}>
          <ActionIcon variant="default" size="lg" aria-label={t('locations.map.zoomIn')} onClick={() => zoom(2)}>
            <Plus size={18} aria-hidden />
          </ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label={t('locations.map.zoomOut')} onClick={() => zoom(0.5)}>
            <Minus size={18} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={t('locations.map.all')}
            onClick={() => setView(fitted(places, size))}
          >
            <LocateFixed size={18} aria-hidden />
          </ActionIcon>
        </div>
      </Paper>
      <div className={classes.beside}>
        <MapList points={inSight} chosen={chosen} onShow={show} isPending={found.isPending} />
        {(found.data?.unplaced ?? 0) > 0 && (
          <Text size="sm" c="dimmed" mt="xs">
            {tn('locations.map.withoutCoordinates', found.data?.unplaced ?? 0)}
          </Text>
        )}
        {found.data?.isCut && (
          <Text size="sm" c="dimmed" mt="xs">
            {t('locations.map.truncated')}
          </Text>
        )}
        {locationFilters.isFiltered(search) && places.length === 0 && !found.isPending && (
          <Button variant="light" mt="sm" onClick={onClearFilters}>
            {t('parts.list.clearFilters')}
          </Button>
        )}
      </div>
    </div>
  );
}

interface MarkProps {
  cluster: Cluster;
  chosen: number | undefined;
  onOpen: () => void;
}

function Mark({ cluster: { x, y, members }, chosen, onOpen }: MarkProps) {
  const [first] = members;
  const count = members.length;
  const size = count === 1 ? 18 : Math.min(52, 26 + Math.log2(count) * 4);
  const label = count === 1 ? `${first?.point.name}, ${first?.point.city}` : tn('locations.map.cluster', count);
  return (
    <button
      type="button"
      className={classes.mark}
      data-single={count === 1 || undefined}
      data-chosen={members.some(({ point }) => point.id === chosen) || undefined}
      style={{ left: x, top: y, width: size, height: size }}
      title={label}
      aria-label={label}
      onClick={onOpen}
    >
      {count > 1 && count}
    </button>
  );
}
