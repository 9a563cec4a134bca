/** Search circle. */
export interface SearchArea {
  lat: number;
  lng: number;
  radiusKm: number;
}

/** Bounding box in degrees; two longitude ranges when it crosses the antimeridian. */
export interface MapBox {
  south: number;
  north: number;
  lngRanges: readonly (readonly [west: number, east: number])[];
}

/** Mean radius of the earth: https://en.wikipedia.org/wiki/Earth_radius#Arithmetic_mean_radius */
export const earthRadiusKm = 6371.0088;

const toDegrees = 180 / Math.PI;
const everywhere = [[-180, 180]] as const;

/** Bounding box of a circle plus a margin: http://janmatuschek.de/LatitudeLongitudeBoundingCoordinates */
export function boxAround({ lat, lng, radiusKm }: SearchArea, marginDegrees = 1e-6): MapBox {
  const angle = radiusKm / earthRadiusKm;
  const height = angle * toDegrees + marginDegrees;
  const south = Math.max(-90, lat - height);
  const north = Math.min(90, lat + height);
  const reach = Math.sin(angle) / Math.cos(lat / toDegrees);
  if (south <= -90 || north >= 90 || angle >= Math.PI / 2 || reach >= 1) return { south, north, lngRanges: everywhere };
  const width = Math.asin(reach) * toDegrees + marginDegrees / Math.cos(lat / toDegrees);
  const [west, east] = [lng - width, lng + width];
  if (east - west >= 360) return { south, north, lngRanges: everywhere };
  const range = [Math.max(-180, west), Math.min(180, east)] as const;
  if (west < -180) return { south, north, lngRanges: [range, [west + 360, 180]] };
  return { south, north, lngRanges: east > 180 ? [range, [-180, east - 360]] : [range] };
}
