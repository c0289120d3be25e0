import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { addProcessMetrics } from '../base/process-metrics.ts';
import type { RequestRecord } from '../http/request-log.ts';
import { paths } from '../paths.ts';
import type { Slots } from './slots.ts';
import type { RunOutcome } from './stream-output.ts';

/** Durations from a thumbnail to a feature film. */
const DURATION_BUCKETS_S = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800];

/** The metrics of a processor. */
export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Creates the metrics in a registry of their own, in Prometheus text format. All but those of the process are in `also`,
 * too. `share` returns the metrics to show (default: those of the registry).
 */
export function createMetrics(
  slots: Slots,
  also?: Registry,
  share: (registry: Registry) => Pick<Registry, 'metrics' | 'contentType'> = (own) => own,
) {
  const registry = new Registry();
  const shown = share(registry);
  const registers = also === undefined ? [registry] : [registry, also];
  addProcessMetrics(registry);
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('repo_processor_slots', 'How many files may be processed at once.', () => slots.limits.maxConcurrent);
  gauge('repo_processor_slots_in_use', 'How many files are being processed.', () => slots.inUse);
  gauge('repo_processor_queue_limit', 'How many requests may wait for a slot.', () => slots.limits.maxQueued);
  gauge('repo_processor_queue_length', 'How many requests wait for a slot.', () => slots.waiting);
  const requests = new Counter({
    name: 'repo_processor_requests_total',
    help: 'Requests answered, by method and status.',
    labelNames: ['method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'repo_processor_request_duration_seconds',
    help: 'Time from a request for processing to the last byte of its answer.',
    labelNames: ['command'],
    buckets: DURATION_BUCKETS_S,
    registers,
  });
  const bytesIn = new Counter({ name: 'repo_processor_bytes_in_total', help: 'Bytes of source files.', registers });
  const bytesOut = new Counter({ name: 'repo_processor_bytes_out_total', help: 'Bytes of output.', registers });
  const runs = new Counter({
    name: 'repo_processor_command_runs_total',
    help: 'Commands that have ended, by program and outcome.',
    labelNames: ['command', 'outcome'],
    registers,
  });
  const reloads = new Counter({
    name: 'repo_processor_config_reloads_total',
    help: 'Times the configuration was read again, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    contentType: shown.contentType,
    text: () => shown.metrics(),
    countRequest(record: RequestRecord, status: number) {
      requests.inc({ method: record.method, status });
      if (record.path !== paths.process) return;
      const { command } = record.facts;
      if (typeof command === 'string') durations.observe({ command }, (performance.now() - record.startedAt) / 1000);
      bytesIn.inc(record.bytesIn);
      bytesOut.inc(record.bytesOut);
    },
    countRun: (command: string, outcome: RunOutcome) => runs.inc({ command, outcome }),
    countReload: (outcome: 'ok' | 'refused') => reloads.inc({ outcome }),
  };
}
