import type { Registry } from 'prom-client';
import eventLoopLag from 'prom-client/lib/metrics/eventLoopLag.js';
import heapSizeAndUsed from 'prom-client/lib/metrics/heapSizeAndUsed.js';
import osMemoryHeap from 'prom-client/lib/metrics/osMemoryHeap.js';
import processCpuTotal from 'prom-client/lib/metrics/processCpuTotal.js';
import processMaxFileDescriptors from 'prom-client/lib/metrics/processMaxFileDescriptors.js';
import processOpenFileDescriptors from 'prom-client/lib/metrics/processOpenFileDescriptors.js';
import processStartTime from 'prom-client/lib/metrics/processStartTime.js';
import version from 'prom-client/lib/metrics/version.js';

/** The resolution of the event loop delay. The default of 10 ms would wake an idle process a hundred times a second. */
const EVENT_LOOP_PRECISION_MS = 500;

/** The default metrics that apply to this runtime. Sizes of heap spaces are excluded: each read would walk the whole heap. */
const METRICS = [
  ...[processCpuTotal, processStartTime, osMemoryHeap, processOpenFileDescriptors, processMaxFileDescriptors],
  ...[eventLoopLag, heapSizeAndUsed, version],
];

/** Adds metrics of the process to a registry: memory, processor time, open files. */
export function addProcessMetrics(register: Registry): void {
  for (const add of METRICS) add(register, { eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
}
