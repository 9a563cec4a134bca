import { geoPath } from 'd3-geo';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlas from 'world-atlas/countries-50m.json';
import { projection } from './map-view.ts';

type Atlas = Topology<{ countries: GeometryCollection; land: GeometryCollection }>;

const world = atlas as unknown as Atlas;
const path = geoPath(projection).digits(2);

export const landPath = path(feature(world, world.objects.land)) ?? '';
export const borderPath = path(mesh(world, world.objects.countries, (a, b) => a !== b)) ?? '';
