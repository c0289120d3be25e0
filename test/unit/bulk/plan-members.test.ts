import { describe, expect, it } from 'bun:test';
import { type Member, planMembers } from '../../../src/bulk/plan-members.ts';
import type { Permission } from '../../../src/model/permissions.ts';
import type { Actor } from '../../../src/repository/actor.ts';
import { UNRESTRICTED } from '../../support/unrestricted.ts';

/** An editor who may change pages, and content of other types that is the editor's own. */
const EDITOR = 7;
const MAY = ['access content', 'edit any page content', 'delete any page content', 'delete own book content'];
const editor = {
  ...{ id: EDITOR, isAuthenticated: true },
  ...UNRESTRICTED,
  may: (permission: Permission) => MAY.includes(permission),
} as unknown as Actor;

const [ROOT, OTHER] = [1, 99];

function member(id: number, facts: Partial<Member> = {}): Member {
  const parents = [{ id: ROOT, status: true }];
  return { id, label: `Member ${id}`, bundle: 'page', status: true, ownerId: EDITOR, accessSet: 0, parents, ...facts };
}

const planned = (action: 'publish' | 'unpublish' | 'delete', members: readonly Member[]) => {
  const { following, kept, hidden } = planMembers(editor, action, [ROOT], members);
  return { following: following.map(({ id }) => id), kept: kept.map(({ id }) => id), hidden };
};

describe('the members that follow a change', () => {
  it('are those that the user may change; the others stay and have names', () => {
    const members = [member(2), member(3, { bundle: 'map', ownerId: 1 })];
    expect(planned('delete', members)).toEqual({ following: [2], kept: [3], hidden: 0 });
    expect(planMembers(editor, 'delete', [ROOT], members).kept[0]).toMatchObject({
      label: 'Member 3',
      reason: expect.stringMatching(/^You may not change it\./),
    });
  });

  it('are never those that the user may not view, which have no names', () => {
    expect(planned('delete', [member(2), member(3, { status: false, ownerId: 1 })])).toEqual({
      following: [2],
      kept: [],
      hidden: 1,
    });
  });

  it('are deleted only with all items to which they belong', () => {
    const shared = member(3, {
      parents: [
        { id: ROOT, status: true },
        { id: OTHER, status: false },
      ],
    });
    expect(planned('delete', [member(2), shared])).toMatchObject({ following: [2], kept: [3] });
    const together = planMembers(editor, 'delete', [ROOT, OTHER], [shared]);
    expect(together.following.map(({ id }) => id)).toEqual([3]);
  });

  it('stay with a book that stays', () => {
    const book = member(2, { bundle: 'book', ownerId: 1 });
    const page = member(3, { parents: [{ id: 2, status: true }] });
    const below = member(4, { parents: [{ id: 3, status: true }] });
    expect(planned('delete', [book, page, below])).toMatchObject({ following: [], kept: [2, 3, 4] });
  });

  it('are unpublished unless another item with them is published', () => {
    const inPublished = member(2, {
      parents: [
        { id: ROOT, status: true },
        { id: OTHER, status: true },
      ],
    });
    const inHidden = member(3, {
      parents: [
        { id: ROOT, status: true },
        { id: OTHER, status: false },
      ],
    });
    expect(planned('unpublish', [inPublished, inHidden])).toMatchObject({ following: [3], kept: [2] });
    expect(planned('publish', [inPublished, inHidden])).toMatchObject({ following: [], kept: [] });
  });

  it('end in a circle of items', () => {
    const [one, other] = [
      member(2, {
        parents: [
          { id: ROOT, status: true },
          { id: 3, status: true },
        ],
      }),
      member(3, {
        parents: [
          { id: 2, status: true },
          { id: 3, status: true },
        ],
      }),
    ];
    expect(planned('delete', [one, other])).toMatchObject({ following: [2, 3], kept: [] });
  });
});
