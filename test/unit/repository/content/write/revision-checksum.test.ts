import { describe, expect, it } from 'bun:test';
import { DEFAULT_SERVER_CONFIG } from '../../../../../src/config/server-config.ts';
import { createKinds } from '../../../../../src/repository/content/kinds.ts';
import { type RevisionFacts, revisionChecksum } from '../../../../../src/repository/content/write/write-revision.ts';
import { loadModel } from '../../../../../src/server/load-model.ts';

const { node, paragraph } = createKinds(await loadModel(DEFAULT_SERVER_CONFIG));
const facts: RevisionFacts = { uuid: 'u', bundle: 'page', ownerId: 1, status: true, revisionLog: null };

const rest = ({ title = 'A', changed = '2026', alias = null as string | null, pid = null as number | null } = {}) =>
  `"langcode":[{"value":"en"}],"title":[{"value":${JSON.stringify(title)}}],"changed":[{"value":"${changed}"}],` +
  `"promote":[],"path":[{"alias":${JSON.stringify(alias)},"pid":${pid},"langcode":"en"}],"body":[]}`;

describe('revisionChecksum', () => {
  it('changes with each fact and each character of the document', () => {
    const other: Partial<RevisionFacts>[] = [
      { uuid: 'v' },
      { bundle: 'story' },
      { ownerId: 2 },
      { status: false },
      { revisionLog: '' },
      { revisionLog: 'x' },
    ];
    const sums = other.map((change) => revisionChecksum(node, { ...facts, ...change }, rest()));
    const text = rest();
    for (let at = 0; at < text.indexOf('"changed"') - 1; at++)
      sums.push(revisionChecksum(node, facts, `${text.slice(0, at)}~${text.slice(at + 1)}`));
    sums.push(revisionChecksum(node, facts, rest().replace('"body":[]', '"body":[{}]')));
    expect(new Set(sums).size).toBe(sums.length);
    expect(sums).not.toContain(revisionChecksum(node, facts, rest()));
  });

  it('ignores changes that create no revision', () => {
    const sum = revisionChecksum(node, facts, rest());
    for (const change of [{ changed: '2027' }, { alias: '/a]}"\\', pid: 3 }, { alias: ']', pid: 12, changed: '' }])
      expect(revisionChecksum(node, facts, rest(change))).toBe(sum);
  });

  it('distinguishes text that looks like a member', () => {
    const [one, two] = ['",\\"path\\":[1]', '",\\"path\\":[2]'].map((title) => rest({ title }));
    expect(revisionChecksum(node, facts, String(one))).not.toBe(revisionChecksum(node, facts, String(two)));
  });

  it('ignores the host of a paragraph', () => {
    const inHost = (id: string, field: string) =>
      `"status":[],"parent_id":[${id}],"parent_type":[${id}],"parent_field_name":[${field}],"behavior_settings":[]}`;
    const sum = revisionChecksum(paragraph, facts, inHost('', ''));
    expect(revisionChecksum(paragraph, facts, inHost('{"value":"12"}', '{"value":"field_a"}'))).toBe(sum);
  });
});
