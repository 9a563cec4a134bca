import { earthRadiusKm } from '../../src/modules/locations/location-map-store.ts';

const toDegrees = 180 / Math.PI;

/** Great-circle distance (haversine). */
export function distanceKm(from: { lat: number; lng: number }, to: { lat: number; lng: number }): number {
  const [a, b] = [from.lat / toDegrees, to.lat / toDegrees];
  const half = (angle: number) => Math.sin(angle / 2) ** 2;
  const chord = half(b - a) + Math.cos(a) * Math.cos(b) * half((to.lng - from.lng) / toDegrees);
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(chord)));
}
