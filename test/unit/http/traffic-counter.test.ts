import { describe, expect, it } from 'bun:test';
import { type CountedRequest, TrafficCounter } from '../../../src/http/traffic-counter.ts';

const request = (values: Partial<CountedRequest>): CountedRequest => ({
  network: '192.0.2.0/24',
  agent: 'curl',
  work: undefined,
  isRefused: false,
  milliseconds: 0,
  ...values,
});

describe('the counter of traffic', () => {
  it('sums requests by network, program and work', () => {
    const counter = new TrafficCounter();
    counter.add(request({}));
    counter.add(request({ work: 'search', milliseconds: 5 }));
    counter.add(request({ agent: 'Bot', work: 'search', isRefused: true }));
    expect(counter.take()).toEqual([
      { kind: 'network', name: '192.0.2.0/24', requests: 3, refused: 1, milliseconds: 5 },
      { kind: 'agent', name: 'curl', requests: 2, refused: 0, milliseconds: 5 },
      { kind: 'agent', name: 'Bot', requests: 1, refused: 1, milliseconds: 0 },
      { kind: 'work', name: 'search', requests: 2, refused: 1, milliseconds: 5 },
    ]);
    expect(counter.take()).toEqual([]);
  });

  it('counts a crowd of networks beyond a thousand as one', () => {
    const counter = new TrafficCounter();
    for (let at = 0; at < 3_000; at += 1) counter.add(request({ network: `${at}` }));
    const networks = counter.take().filter(({ kind }) => kind === 'network');
    expect(networks.length).toBe(1_001);
    expect(networks.find(({ name }) => name === '')?.requests).toBe(2_000);
    expect(networks.reduce((sum, { requests }) => sum + requests, 0)).toBe(3_000);
  });

  it('shortens long names of programs', () => {
    const counter = new TrafficCounter();
    counter.add(request({ agent: 'x'.repeat(10_000) }));
    expect(counter.take()[1]?.name.length).toBe(120);
  });
});
