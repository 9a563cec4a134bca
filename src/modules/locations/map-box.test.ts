import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distanceKm } from '../../../test/support/distance.ts';
import { boxAround, earthRadiusKm, type MapBox } from './location-map-store.ts';

const cologne = { lat: 50.9413, lng: 6.9583 };

const holds = ({ south, north, lngRanges }: MapBox, { lat, lng }: { lat: number; lng: number }) =>
  lat >= south && lat <= north && lngRanges.some(([west, east]) => lng >= west && lng <= east);

const degrees = (limit: number) => fc.double({ min: -limit, max: limit, noNaN: true });
const place = fc.record({ lat: degrees(90), lng: degrees(180) });

test('computes great-circle distances', () => {
  expect(distanceKm(cologne, { ...cologne, lat: cologne.lat + 1 })).toBeCloseTo(111.195, 3);
  expect(distanceKm({ lat: 0, lng: 179.5 }, { lat: 0, lng: -179.5 })).toBeCloseTo(111.2, 1);
  expect(distanceKm({ lat: 45, lng: 0 }, { lat: -45, lng: 180 })).toBeCloseTo(Math.PI * earthRadiusKm, 3);
  expect(distanceKm({ lat: 90, lng: 12 }, { lat: 0, lng: -70 })).toBeCloseTo((Math.PI / 2) * earthRadiusKm, 3);
});

test('contains every point within the radius', () => {
  fc.assert(
    fc.property(
      place,
      fc.double({ min: 0.01, max: 1000, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
      (middle, radiusKm, share, bearing) => {
        const there = towards(middle, bearing, radiusKm * share);
        return holds(boxAround({ ...middle, radiusKm }), there);
      },
    ),
    { numRuns: 2000 },
  );
});

test('is symmetric for two points', () => {
  fc.assert(
    fc.property(place, place, (middle, there) => {
      const radiusKm = Math.max(0.01, distanceKm(middle, there));
      return holds(boxAround({ ...middle, radiusKm }), there);
    }),
  );
});

test('is minimal', () => {
  const { south, north, lngRanges } = boxAround({ ...cologne, radiusKm: 10 });
  expect(north - south).toBeCloseTo(20 / 111.195, 3);
  const [[west, east] = [0, 0]] = lngRanges;
  expect(distanceKm({ ...cologne, lng: west }, { ...cologne, lng: east })).toBeCloseTo(20, 1);
});

test('has two ranges across the antimeridian and all longitudes at a pole', () => {
  expect(boxAround({ lat: -17.7, lng: 179.9, radiusKm: 50 }).lngRanges).toHaveLength(2);
  expect(boxAround({ lat: -17.7, lng: -179.9, radiusKm: 50 }).lngRanges).toHaveLength(2);
  expect(boxAround({ lat: 89.9, lng: 10, radiusKm: 50 }).lngRanges).toEqual([[-180, 180]]);
});

/** Destination point: https://www.movable-type.co.uk/scripts/latlong.html#destPoint */
function towards({ lat, lng }: { lat: number; lng: number }, bearing: number, km: number) {
  const angle = km / earthRadiusKm;
  const from = (lat * Math.PI) / 180;
  const to = Math.asin(Math.sin(from) * Math.cos(angle) + Math.cos(from) * Math.sin(angle) * Math.cos(bearing));
  const east = Math.atan2(
    Math.sin(bearing) * Math.sin(angle) * Math.cos(from),
    Math.cos(angle) - Math.sin(from) * Math.sin(to),
  );
  return { lat: (to * 180) / Math.PI, lng: ((((lng + (east * 180) / Math.PI + 180) % 360) + 360) % 360) - 180 };
}
