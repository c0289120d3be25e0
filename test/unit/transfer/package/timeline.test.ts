import { expect, it } from 'bun:test';
import { inChronologicalOrder, MAX_SINGLE_CHANGES, versionEnds } from '../../../../src/transfer/package/timeline.ts';

const at = (created: number, name: string) => ({ created, name });

it('inChronologicalOrder merges the changes of several entities', () => {
  const changes = inChronologicalOrder([
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

it('inChronologicalOrder starts with the first entity for simultaneous changes', () => {
  const changes = inChronologicalOrder([[at(1, 'node 1')], [at(1, 'media 1')]]);
  expect(changes.map(({ state }) => state.name)).toEqual(['node 1', 'media 1']);
});

it('inChronologicalOrder keeps the order within an entity regardless of times', () => {
  const changes = inChronologicalOrder([[at(7, 'node 1'), at(3, 'node 2')], [at(5, 'media 1')]]);
  expect(changes.map(({ state }) => state.name)).toEqual(['media 1', 'node 1', 'node 2']);
});

it('inChronologicalOrder returns nothing without revisions', () => {
  expect(inChronologicalOrder([[], []])).toEqual([]);
});

/** Changes of entities, by which it is of. */
const of = (entities: readonly number[]) => entities.map((entity) => ({ entity, state: undefined }));
const many = Array.from({ length: MAX_SINGLE_CHANGES }, (_none, index) => index + 1);

it('versionEnds ends a version at each change of a short history', () => {
  expect(versionEnds(of([0, 1, 0, 2]))).toEqual([0, 1, 2, 3]);
  expect(versionEnds([])).toEqual([]);
});

it('versionEnds groups many changes, with one change per entity in each version', () => {
  expect(versionEnds(of([0, ...many]))).toEqual([0, MAX_SINGLE_CHANGES]);
  expect(versionEnds(of([0, ...many, 1, 0, 2, 0]))).toEqual([
    0,
    MAX_SINGLE_CHANGES,
    MAX_SINGLE_CHANGES + 3,
    MAX_SINGLE_CHANGES + 4,
  ]);
});

it('versionEnds keeps all but the last version when more changes follow', () => {
  const changes = [0, ...many, 1, 0, 2, 2, 0, 3, 3, 1, 1];
  for (let length = MAX_SINGLE_CHANGES + 1; length < changes.length; length++) {
    const kept = versionEnds(of(changes.slice(0, length))).slice(0, -1);
    expect(versionEnds(of(changes)).slice(0, kept.length)).toEqual(kept);
  }
});
