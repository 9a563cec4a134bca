import { type HrTime, ValueType } from '@opentelemetry/api';
import { hrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Registry } from 'prom-client';

/** The metrics of the Prometheus registry as OpenTelemetry data, so that each metric is defined once. */
export class RegistryProducer implements MetricProducer {
  readonly #registry: Registry;
  readonly #resource: Resource;
  readonly #startTime: HrTime = hrTime();

  constructor(registry: Registry, resource: Resource) {
    this.#registry = registry;
    this.#resource = resource;
  }

  async collect(): Promise<CollectionResult> {
    const times = { startTime: this.#startTime, endTime: hrTime() };
    const families = await this.#registry.getMetricsAsJSON();
    const metrics = families.map((family) => metricData(family, times)).filter((data) => data !== undefined);
    return {
      resourceMetrics: { resource: this.#resource, scopeMetrics: [{ scope: { name: 'waypost' }, metrics }] },
      errors: [],
    };
  }
}

interface Times {
  startTime: HrTime;
  endTime: HrTime;
}

type Labels = Partial<Record<string, string | number>>;

interface Family {
  name: string;
  help: string;
  /** A text such as 'histogram', although prom-client declares a number. */
  type: unknown;
  /** `metricName` is set for samples of histograms only. */
  values: readonly { metricName?: string; labels: Labels; value: number }[];
}

/** Undefined for summaries: Waypost defines none. */
function metricData({ name, help, type, values }: Family, times: Times): MetricData | undefined {
  const descriptor = { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE };
  const base = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (type === 'histogram') {
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramPoints(values, times) };
  }
  const dataPoints = values.map(({ labels, value }) => ({ ...times, attributes: attributesOf(labels), value }));
  if (type === 'counter') return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  return type === 'gauge' ? { ...base, dataPointType: DataPointType.GAUGE, dataPoints } : undefined;
}

const unitOf = (name: string) => (name.includes('_seconds') ? 's' : name.includes('_bytes') ? 'By' : '');

const attributesOf = (labels: Labels) =>
  Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)]));

/** Bucket counts are cumulative in Prometheus, but not in OpenTelemetry. */
function histogramPoints(values: Family['values'], times: Times) {
  const series = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  return [...series.values()].map((samples) => {
    const { le: _, ...labels } = samples[0]?.labels ?? {};
    const sampleOf = (suffix: string) => samples.find(({ metricName }) => metricName?.endsWith(suffix))?.value ?? 0;
    const buckets = samples.filter((sample) => 'le' in sample.labels);
    const boundaries = buckets.map((sample) => Number(sample.labels.le)).filter(Number.isFinite);
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
    const value = { buckets: { boundaries, counts }, sum: sampleOf('_sum'), count: sampleOf('_count') };
    return { ...times, attributes: attributesOf(labels), value };
  });
}
