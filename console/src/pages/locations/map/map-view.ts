import { geoMercator } from 'd3-geo';
import type { MapPoint } from './map-points.ts';

/** The visible part of the map: scaled by `k` and moved by `x` and `y`. */
export interface MapView {
  k: number;
  x: number;
  y: number;
}

export interface MapSize {
  width: number;
  height: number;
}

/** Width of the drawing; zooming scales it. */
export const worldWidth = 1000;
export const worldHeight = 760;

export const projection = geoMercator()
  .scale(worldWidth / (2 * Math.PI))
  .translate([worldWidth / 2, worldHeight / 2 + 60]);

export interface PlacedPoint {
  point: MapPoint;
  /** In coordinates of the drawing. */
  at: readonly [number, number];
}

export function placePoints(points: readonly MapPoint[]): PlacedPoint[] {
  return points.flatMap((point) => {
    const at = projection([point.lng, Math.max(-84, Math.min(84, point.lat))]);
    return at ? [{ point, at }] : [];
  });
}

const deepest = 4000;

/** Zooms around a fixed point on the screen. */
export function zoomed(
  { k, x, y }: MapView,
  factor: number,
  [px, py]: readonly [number, number],
  least: number,
): MapView {
  const next = Math.min(deepest, Math.max(least, k * factor));
  const ratio = next / k;
  return { k: next, x: px - (px - x) * ratio, y: py - (py - y) * ratio };
}

/** Minimum extent when fitting the view: about ten kilometres. */
const nearest = 0.4;

/** Fits all points with a margin. */
export function fitted(places: readonly PlacedPoint[], { width, height }: MapSize): MapView {
  const whole = Math.max(width / worldWidth, height / worldHeight);
  if (places.length === 0) {
    return { k: whole, x: (width - worldWidth * whole) / 2, y: (height - worldHeight * whole) / 2 };
  }
  const xs = places.map(({ at }) => at[0]);
  const ys = places.map(({ at }) => at[1]);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const room = 60;
  const k = Math.min(
    (width - 2 * room) / Math.max(right - left, nearest),
    (height - 2 * room) / Math.max(bottom - top, nearest),
  );
  const scale = Math.min(deepest, Math.max(whole, k));
  return { k: scale, x: width / 2 - ((left + right) / 2) * scale, y: height / 2 - ((top + bottom) / 2) * scale };
}

export interface Cluster {
  key: string;
  x: number;
  y: number;
  members: PlacedPoint[];
}

const cell = 56;

/** Clusters points that would overlap. Cells are fixed to the drawing, so panning keeps clusters. */
export function clustersIn(
  places: readonly PlacedPoint[],
  { k, x, y }: MapView,
  { width, height }: MapSize,
): Cluster[] {
  const cells = new Map<string, Pick<Cluster, 'key' | 'members'>>();
  for (const place of places) {
    const [sx, sy] = [place.at[0] * k, place.at[1] * k];
    if (sx + x < -20 || sy + y < -20 || sx + x > width + 20 || sy + y > height + 20) continue;
    const key = `${Math.floor(sx / cell)},${Math.floor(sy / cell)}`;
    const cluster = cells.get(key);
    if (cluster) cluster.members.push(place);
    else cells.set(key, { key, members: [place] });
  }
  return apart([...cells.values()].map(({ key, members }) => placed(key, members, { k, x, y })));
}

function placed(key: string, members: PlacedPoint[], { k, x, y }: MapView): Cluster {
  const mean = (axis: 0 | 1) => members.reduce((sum, { at }) => sum + at[axis], 0) / members.length;
  return { key, members, x: mean(0) * k + x, y: mean(1) * k + y };
}

const least = 36;

/** Merges clusters that are too close across a cell border. */
function apart(clusters: Cluster[]): Cluster[] {
  const kept: Cluster[] = [];
  for (const cluster of clusters.sort((a, b) => b.members.length - a.members.length)) {
    const near = kept.find(({ x, y }) => Math.hypot(x - cluster.x, y - cluster.y) < least);
    if (near) near.members.push(...cluster.members);
    else kept.push(cluster);
  }
  return kept;
}
