import { describe, expect, it } from 'bun:test';
import { effectiveRule } from '../../../src/model/access-rules.ts';
import { AccessSets } from '../../../src/repository/access/access-sets.ts';
import { createSight } from '../../../src/repository/access/sight.ts';

const NOBODY = { id: 0, roles: [], networks: [], granted: [] };
const NAMES = { presets: new Map(), roles: new Set<string>(), networks: new Set<string>() };

/** Sets with one rule each. */
function setsOf(rules: readonly object[], uses: ReadonlyMap<string, readonly number[]> = new Map()): AccessSets {
  const effective = rules.map((rule) => effectiveRule(JSON.stringify(rule), NAMES, new Map()));
  return new AccessSets({
    rules: new Map(effective.map((rule, at) => [at + 1, rule])),
    sets: new Map(effective.map((_rule, at) => [at + 1, { rules: [at + 1], anchors: [], grants: [] }])),
    ...{ anchors: new Map(), changed: new Map(), terms: new Map(), roles: new Map(), uses },
  });
}
const sightOf = (sets: AccessSets) => createSight(sets, NOBODY, '2031-05-02', 1);

describe('what a caller sees', () => {
  it('is right for more than 65,000 sets', () => {
    const sight = sightOf(
      setsOf(Array.from({ length: 70_000 }, (_, at) => ({ level: at % 3 === 0 ? 'closed' : 'open' }))),
    );
    const right = Array.from({ length: 70_000 }, (_, at) => at % 3 !== 0);
    expect(right.every((isOpen, at) => sight.sees(at + 1) === isOpen)).toBe(true);
    expect(sight.sees(70_001)).toBe(false);
  });

  it('is nothing more for more different lists of open uses than there are numbers', () => {
    const uris = Array.from({ length: 400 }, (_, at) => `https://uses.example/${at}`);
    const uses = new Map(uris.map((uri, at) => [uri, [at + 1]]));
    const sight = sightOf(
      setsOf(
        uris.map((uri) => ({ level: 'files_closed', open_uses: [uri] })),
        uses,
      ),
    );
    const open = uris.map((_uri, at) => sight.seesFiles(at + 1, [at + 1]));
    expect(open.filter(Boolean).length).toBe(252);
    expect(
      uris.every(
        (_uri, at) => sight.sees(at + 1) && !sight.seesFiles(at + 1, [at + 2]) && !sight.seesFiles(at + 1, []),
      ),
    ).toBe(true);
  });

  it('is decided in circles of sets that refer to each other', () => {
    const closed = effectiveRule('{"level":"closed"}', NAMES, new Map());
    const sets = new AccessSets({
      rules: new Map([[1, closed]]),
      sets: new Map([
        [1, { rules: [], anchors: [12], grants: [] }],
        [2, { rules: [], anchors: [11, 12, 13], grants: [] }],
        [3, { rules: [1], anchors: [11], grants: [] }],
        [4, { rules: [], anchors: [11], grants: [] }],
      ]),
      changed: new Map(),
      roles: new Map(),
      anchors: new Map([
        [11, 1],
        [12, 2],
        [13, 3],
      ]),
      ...{ terms: new Map(), uses: new Map() },
    });
    const sight = sightOf(sets);
    expect([1, 2, 3, 4].map((id) => sight.sees(id))).toEqual([false, false, false, false]);
    expect(sets.sourcesOf(4)).toEqual([13]);
  });
});
