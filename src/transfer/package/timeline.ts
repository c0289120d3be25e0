/** A change of one of several entities: which one, by its place in the list, and what it became. */
export interface Change<State> {
  readonly entity: number;
  readonly state: State;
}

/**
 * The changes of several entities in the order in which they were made: each entity's own in their order, whatever their
 * times say, and of two at the same moment first that of the entity that comes first.
 */
export function inTime<State extends { readonly created: number }>(
  entities: readonly (readonly State[])[],
): Change<State>[] {
  const next = entities.map(() => 0);
  const changes: Change<State>[] = [];
  for (;;) {
    let earliest: Change<State> | undefined;
    for (const [entity, states] of entities.entries()) {
      const state = states[next[entity] as number];
      if (state !== undefined && (earliest === undefined || state.created < earliest.state.created))
        earliest = { entity, state };
    }
    if (earliest === undefined) return changes;
    changes.push(earliest);
    next[earliest.entity] = (next[earliest.entity] as number) + 1;
  }
}

/** More versions than that are made fewer: each lists all files, so that of thousands the lists outgrow the files. */
export const MAX_SINGLE_CHANGES = 50;

/**
 * After which changes there is a version, by their places: after each, but of many only after the first and where one of
 * the entities is about to change again. Changes that come later leave the versions before as they are, but for the last.
 */
export function lastOfEach(changes: readonly Change<unknown>[]): number[] {
  if (changes.length <= MAX_SINGLE_CHANGES) return [...changes.keys()];
  const last: number[] = [0];
  const changed = new Set<number>();
  for (const [index, { entity }] of changes.entries()) {
    if (index === 0) continue;
    if (changed.has(entity)) {
      last.push(index - 1);
      changed.clear();
    }
    changed.add(entity);
  }
  last.push(changes.length - 1);
  return last;
}
