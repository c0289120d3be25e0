import { expect, it } from 'bun:test';
import { createKinds } from '../../../../src/repository/content/kinds.ts';
import type { PackageVersion } from '../../../../src/transfer/files/package.ts';
import { readPackage } from '../../../../src/transfer/package/read-package.ts';
import { loadTestModel } from '../../../support/content-model.ts';
import { madePackage, madeVersion } from '../../../support/made-package.ts';

const UUID = '6f1c8a52-0000-7000-8000-000000000001';

/** A version with one revision of the node, and a title by which it is known again. */
function version(revision: number, title: string, created = `2026-01-01T00:00:0${revision}+00:00`): PackageVersion {
  const node = {
    uuid: [{ value: UUID }],
    vid: [{ value: revision }],
    revision_timestamp: [{ value: created }],
    title: [{ value: title }],
  };
  return madeVersion({ 'node.json': JSON.stringify(node) });
}

async function titlesOf(...versions: PackageVersion[]): Promise<unknown[]> {
  const kinds = createKinds(await loadTestModel());
  const { node, problems } = await readPackage(kinds, madePackage(...versions));
  expect(problems).toEqual([]);
  return node?.revisions.map(({ title }) => (title as [{ value: string }])[0].value) ?? [];
}

it('readPackage merges versions of one revision, using the last one', async () => {
  expect(await titlesOf(version(1, 'one'), version(1, 'one, moved'), version(2, 'two'))).toEqual(['one, moved', 'two']);
});

it('readPackage merges a repeated history', async () => {
  const told = [version(1, 'one'), version(2, 'two'), version(1, 'one, with more'), version(2, 'two, with more')];
  expect(await titlesOf(...told)).toEqual(['one, with more', 'two, with more']);
});

it('readPackage ends with the last version, even if it occurred before', async () => {
  expect(await titlesOf(version(1, 'one'), version(2, 'two'), version(1, 'one again'))).toEqual(['two', 'one again']);
});

it('readPackage separates revisions with one id but different times', async () => {
  const other = version(2, 'of another', '2027-01-01T00:00:00+00:00');
  expect(await titlesOf(version(1, 'one'), version(2, 'two'), other)).toEqual(['one', 'two', 'of another']);
});
