import type { Registry } from 'prom-client';
import eventLoopLag from 'prom-client/lib/metrics/eventLoopLag.js';
import heapSizeAndUsed from 'prom-client/lib/metrics/heapSizeAndUsed.js';
import osMemoryHeap from 'prom-client/lib/metrics/osMemoryHeap.js';
import processCpuTotal from 'prom-client/lib/metrics/processCpuTotal.js';
import processMaxFileDescriptors from 'prom-client/lib/metrics/processMaxFileDescriptors.js';
import processOpenFileDescriptors from 'prom-client/lib/metrics/processOpenFileDescriptors.js';
import processStartTime from 'prom-client/lib/metrics/processStartTime.js';
import version from 'prom-client/lib/metrics/version.js';

/**
 * How finely the delay of the event loop is measured. The usual 10 ms wake the process up a hundred times a second,
 * and that is most of what it does while there is nothing to do.
 */
const EVENT_LOOP_PRECISION_MS = 500;

/**
 * Of the library's default metrics those that tell something of this runtime. Left out above all: the sizes of heap
 * spaces, for which the runtime walks over its whole heap, at the start and with each look at the figures.
 */
const METRICS = [
  ...[processCpuTotal, processStartTime, osMemoryHeap, processOpenFileDescriptors, processMaxFileDescriptors],
  ...[eventLoopLag, heapSizeAndUsed, version],
];

/** Adds the figures of the process itself to a registry: memory, processor time, open files. */
export function addProcessMetrics(register: Registry): void {
  for (const add of METRICS) add(register, { eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
}
