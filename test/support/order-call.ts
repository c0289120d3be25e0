import { positionField } from '../../src/pages/order/order-data.ts';
import { endOf, movedTo } from './bulk-call.ts';
import type { FormBrowser, OpenPage } from './form-call.ts';
import { elementsOf } from './page.ts';

/** Returns the ids of the members on the page of an order, in its order. */
export function membersOn({ html }: OpenPage): number[] {
  return elementsOf(html, '.order-rows input').map(({ attributes }) => Number(attributes.name?.split('.')[1]));
}

/** Returns fields that type positions of members. */
export function positions(entries: Readonly<Record<number, number | string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).map(([id, text]) => [positionField(Number(id)), String(text)]));
}

/** Types positions on the page of an order as a browser without a script sends them: each field at its place. */
export function typePositions(page: OpenPage, entries: Readonly<Record<number, number | string>>): URLSearchParams {
  return typedIn(page.fields(), entries);
}

/** Types positions in the fields of the form of an order. */
export function typedIn(fields: URLSearchParams, entries: Readonly<Record<number, number | string>>): URLSearchParams {
  const typed = positions(entries);
  return new URLSearchParams([...fields].map(([name, value]) => [name, typed[name] ?? value]));
}

/** Saves positions of members of an item, and waits until all have their places. Returns the path of the change. */
export async function saveOrder(browser: FormBrowser, node: number, entries: Readonly<Record<number, number>>) {
  const path = `/node/${node}/order`;
  const page = await browser.open(path);
  const run = movedTo(await browser.post(path, typePositions(page, entries)));
  return { run, ...(await endOf(browser, run)) };
}
