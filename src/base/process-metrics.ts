import { collectDefaultMetrics, type Registry } from 'prom-client';

/**
 * How finely the delay of the event loop is measured. The usual 10 ms wake the process up a hundred times a second,
 * and that is most of what it does while there is nothing to do.
 */
const EVENT_LOOP_PRECISION_MS = 500;

/** Adds the figures of the process itself to a registry: memory, processor time, open files. */
export function addProcessMetrics(register: Registry): void {
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
}
