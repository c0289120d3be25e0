import { expect, it } from 'bun:test';
import { inTime } from '../../../../src/loading/package/timeline.ts';

const at = (created: number, name: string) => ({ created, name });

it('puts the changes of several entities in the order of time', () => {
  const changes = inTime([
    [at(1, 'node 1'), at(5, 'node 2')],
    [at(2, 'media 1'), at(9, 'media 2')],
  ]);
  expect(changes.map(({ entity, state }) => [entity, state.name])).toEqual([
    [0, 'node 1'],
    [1, 'media 1'],
    [0, 'node 2'],
    [1, 'media 2'],
  ]);
});

it('begins with the first entity where two changed at the same moment', () => {
  const changes = inTime([[at(1, 'node 1')], [at(1, 'media 1')]]);
  expect(changes.map(({ state }) => state.name)).toEqual(['node 1', 'media 1']);
});

it('keeps the order of each, whatever its times say', () => {
  const changes = inTime([[at(7, 'node 1'), at(3, 'node 2')], [at(5, 'media 1')]]);
  expect(changes.map(({ state }) => state.name)).toEqual(['media 1', 'node 1', 'node 2']);
});

it('has nothing to say of nothing', () => {
  expect(inTime([[], []])).toEqual([]);
});
