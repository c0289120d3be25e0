/** A new state of one of several entities, which is given by its position in the list. */
export interface Change<State> {
  readonly entity: number;
  readonly state: State;
}

/**
 * Returns the changes of several entities in chronological order. Changes of one entity keep their order regardless of
 * their times. At the same time, the entity that comes first in the list takes precedence.
 */
export function inChronologicalOrder<State extends { readonly created: number }>(
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

/** Maximum number of changes with a version each. Each version lists all files, so that more lists outgrow the files. */
export const MAX_SINGLE_CHANGES = 50;

/**
 * Returns the positions of the changes that end a version: all of them, or for a long list only the first, and each
 * before an entity changes again. Later changes affect only the last version.
 */
export function versionEnds(changes: readonly Change<unknown>[]): number[] {
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
