import { AggregatorRegistry, Gauge, type Registry } from 'prom-client';

/** A registry of a process: `repository` of its own port and of the shared one, `processor` of the processor's port. */
export type MetricsPart = 'repository' | 'processor';

/** The metrics of a registry as data, which processes exchange. */
export type MetricsData = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The metrics of all workers, for the one that answers. */
export interface WorkerMetrics {
  /** Registers how to read the metrics of this worker. */
  provide(part: MetricsPart, read: () => Promise<MetricsData>): void;
  /** Returns the metrics of each worker that answers in time, this one included. */
  gather(part: MetricsPart): Promise<readonly MetricsData[]>;
}

/** The metrics that a port answers with. */
export type ShownMetrics = Pick<Registry, 'metrics' | 'contentType'>;

/**
 * Returns the metrics of a registry or, with workers, those of all of them: sums, unless a metric has another aggregator. Adds
 * the number of processes that are in the figures.
 */
export function shareMetrics(registry: Registry, part: MetricsPart, workers: WorkerMetrics | undefined): ShownMetrics {
  new Gauge({
    name: 'repo_workers',
    help: 'Processes whose metrics are added up.',
    registers: [registry],
    collect() {
      this.set(1);
    },
  });
  if (workers === undefined) return registry;
  workers.provide(part, () => registry.getMetricsAsJSON());
  return {
    contentType: registry.contentType,
    async metrics() {
      return AggregatorRegistry.aggregate([...(await workers.gather(part))]).metrics();
    },
  };
}
