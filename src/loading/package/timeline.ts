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
