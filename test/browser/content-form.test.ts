import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { accessibilityViolations } from '../support/accessibility.ts';
import { addField } from '../support/added-field.ts';
import type { Visit, VisitOptions } from '../support/browser.ts';
import { type FormBrowser, signedIn } from '../support/form-call.ts';
import { onQuietPage } from '../support/quiet-page.ts';
import { settle } from '../support/settled-page.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../support/test-repository.ts';

const ADD = '/node/add/islandora_object';
let repository: TestRepository;
let jane: FormBrowser;

beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('jane', 'repository_editor');
  jane = await signedIn(repository, 'jane');
});
afterAll(() => repository.stop());

const onForm = (
  use: (page: Page, visited: Visit) => Promise<void>,
  { path = ADD, ...options }: VisitOptions & { readonly path?: string } = {},
) => onQuietPage(repository.url + path, { cookie: jane.session?.cookie, ...options }, use);

const field = (page: Page, name: string) => page.locator(`fieldset[data-field=${name}]`);
const focusedId = (page: Page) => page.evaluate<string>('document.activeElement.id || document.activeElement.value');
const values = (page: Page, name: string) =>
  field(page, name)
    .locator('.value-row input:not([type=hidden])')
    .evaluateAll((inputs) => inputs.map((each) => (each as { value?: string }).value));
const OPTIONS = '.suggestions:visible [role=option]';
/** Types without a pause between letters: names are asked for once. */
const typeAtOnce = (page: Page, text: string) => page.keyboard.insertText(text);
/** Expects no complaint but those that a test causes itself, and takes them out. */
function expectOnly(complaints: readonly string[], own: RegExp): void {
  expect(complaints.filter((each) => !own.test(each))).toEqual([]);
  (complaints as string[]).length = 0;
}

const spoken = (page: Page, text: string) =>
  page.locator('main > [role=status]').getByText(text, { exact: true }).waitFor({ state: 'attached' });

const handle = (page: Page, at: number) => field(page, 'field_identifier').locator('.row-handle').nth(at);

async function addIdentifiers(page: Page, texts: readonly string[]): Promise<void> {
  for (const [at, text] of texts.entries()) {
    if (at > 0) await page.locator('button[value="add field_identifier"]').click();
    await page.locator(`[id="field_identifier.${at}.value"]`).fill(text);
  }
}

/** Drags with a finger from the middle of an element to below another. */
async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  await from.scrollIntoViewIfNeeded();
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  if (start === null || end === null) throw new Error('Nothing to drag.');
  const client = await page.context().newCDPSession(page);
  const x = start.x + start.width / 2;
  const [top, bottom] = [start.y + start.height / 2, end.y + end.height + 20];
  await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y: top }] });
  for (let step = 1; step <= 10; step += 1) {
    const y = top + ((bottom - top) * step) / 10;
    await client.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x, y }] });
  }
  await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

describe('the rows of a field', () => {
  it('are added, moved and removed with the keyboard, without a request', async () => {
    await onForm(async (page, { requests }) => {
      const before = requests.length;
      const identifier = page.locator('[id="field_identifier.0.value"]');
      await identifier.fill('a');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      expect(await focusedId(page)).toBe('field_identifier.1.value');
      await spoken(page, 'Identifier 2 added.');
      await page.keyboard.type('b');
      await page.keyboard.press('Tab');
      expect(await focusedId(page)).toBe('up field_identifier 1');
      await page.keyboard.press('Enter');
      expect(await values(page, 'field_identifier')).toEqual(['b', 'a']);
      // The first row cannot move up: its other button has the focus.
      expect(await focusedId(page)).toBe('down field_identifier 0');
      await spoken(page, 'Identifier: moved to place 1 of 2.');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      expect(await values(page, 'field_identifier')).toEqual(['a']);
      await spoken(page, 'Identifier 1 removed.');
      expect(await focusedId(page)).toBe('remove field_identifier 0');
      expect(requests.length).toBe(before);
      expect(await page.locator('.action-bar .state').textContent()).toBe('Unsaved changes');
    });
  });

  it('are dragged by touch, and keep their values', async () => {
    const inOrder = async (page: Page) => {
      await addIdentifiers(page, ['a', 'b', 'c']);
      const [from, to] = [handle(page, 0), handle(page, 2)];
      await drag(page, from, to);
      expect(await values(page, 'field_identifier')).toEqual(['b', 'c', 'a']);
      await spoken(page, 'Identifier: moved to place 3 of 3.');
      const names = await field(page, 'field_identifier')
        .locator('.value-row input')
        .evaluateAll((inputs) => inputs.map((each) => (each as { name?: string }).name));
      expect(names).toEqual([0, 1, 2].map((at) => `field_identifier.${at}.value`));
    };
    await onForm(inOrder, { width: 390 });
  });
});

describe('a reference field', () => {
  const subject = (page: Page) => page.locator('[id="field_subject.0.target_id"]');

  it('offers terms with their vocabularies, and is filled in with the keyboard', async () => {
    const [boats] = [
      await repository.build.term('subject', 'Rowing boats'),
      await repository.build.term('subject', 'Harbour boats'),
    ];
    await onForm(async (page) => {
      await subject(page).focus();
      await typeAtOnce(page, 'boat');
      const options = page.locator(OPTIONS);
      await options.first().waitFor();
      expect(await subject(page).getAttribute('aria-expanded')).toBe('true');
      const texts = await options.allTextContents();
      expect(texts).toContain(`Rowing boatsTopic · 0 items · (${boats})`);
      expect(texts.at(-1)).toBe('Create “boat” as a topic');
      for (let at = 0; at <= texts.findIndex((text) => text.startsWith('Rowing')); at += 1)
        await page.keyboard.press('ArrowDown');
      // The text stays what was typed until a name is chosen.
      expect(await subject(page).inputValue()).toBe('boat');
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.keyboard.press('Enter');
      expect(await subject(page).inputValue()).toBe(`Rowing boats (${boats})`);
      expect(await options.count()).toBe(0);
      // A new value completes names, too.
      await page.locator('button[value="add field_subject"]').click();
      await typeAtOnce(page, 'harb');
      await options.first().waitFor();
      await page.keyboard.press('Escape');
      expect(await page.locator('[id="field_subject.1.target_id"]').inputValue()).toBe('harb');
    });
  });

  it('updates its suggestions as the text grows, and keeps them closed after Escape', async () => {
    await repository.build.term('subject', 'Ferry boats');
    await onForm(async (page, { complaints }) => {
      const option = (text: string) => page.locator(OPTIONS).getByText(text, { exact: true });
      await subject(page).focus();
      await page.keyboard.type('boa');
      await option('Create “boa” as a topic').waitFor();
      await page.keyboard.type('t');
      await option('Create “boat” as a topic').waitFor();
      await page.clock.install();
      await page.keyboard.type('s');
      await page.keyboard.press('Escape');
      // Longer than the pause after which names are asked for.
      await page.clock.runFor(1000);
      await settle(page);
      expect(await page.locator(OPTIONS).count()).toBe(0);
      expect(await subject(page).getAttribute('aria-expanded')).toBe('false');
      // On a busy machine Escape may come later than the pause, and then it ends a request.
      expectOnly(complaints, /\?q=boats net::ERR_ABORTED$/);
    });
  });

  it('creates a term', async () => {
    await onForm(async (page) => {
      await subject(page).focus();
      await typeAtOnce(page, 'Lighthouses');
      await page.getByRole('option', { name: 'Create “Lighthouses” as a topic' }).click();
      await spoken(page, 'Created “Lighthouses”.');
      const filled = await subject(page).inputValue();
      const id = Number(/^Lighthouses \((\d+)\)$/.exec(filled)?.[1]);
      const created = await repository.get(`/taxonomy/term/${id}?_format=json`, 'jane');
      expect(((await created.json()) as EntityJson).name).toEqual([{ value: 'Lighthouses' }]);
    });
  });

  it('shows an error beside the value when a term cannot be created', async () => {
    const use = async (page: Page, { complaints }: Visit) => {
      await page.route('**/entity/named_term/subject', (route) =>
        route.fulfill({ status: 403, json: { message: 'Only curators create terms.' } }),
      );
      await subject(page).fill('Cranes');
      await page.getByRole('option', { name: 'Create “Cranes” as a topic' }).click();
      const error = page.locator('[id="field_subject.0.target_id-error"]');
      await error.getByText('Only curators create terms.').waitFor();
      expect(await subject(page).getAttribute('aria-describedby')).toBe('field_subject.0.target_id-error');
      expect(await accessibilityViolations(page)).toEqual([]);
      // The browser reports the refused request itself.
      expectOnly(complaints, /403/);
    };
    await onForm(use, { width: 390, scheme: 'dark' });
  });
});

describe('a date field', () => {
  const created = (page: Page) => page.locator('[id="field_edtf_date_created.0.value"]');
  const meaning = (page: Page) => field(page, 'field_edtf_date_created').locator('.meaning').first();

  it('shows the meaning of a date, or its error, while it is typed', async () => {
    await onForm(async (page) => {
      for (const [typed, shown] of [
        ['1929~', 'Shown as “about 1929”'],
        ['1920/1930', 'Shown as “between 1920 and 1930”'],
        ['1929-13', "Not a date yet: Provided month value '13' is not valid."],
        ['', ''],
      ] as const) {
        await created(page).fill(typed);
        await meaning(page).getByText(shown, { exact: true }).waitFor({ state: 'attached' });
      }
    });
  });

  it('is filled in by the range helper with the keyboard', async () => {
    const use = async (page: Page) => {
      await created(page).focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.keyboard.type('1920');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Space');
      await page.keyboard.press('Tab');
      await page.keyboard.type('1930');
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.keyboard.press('Enter');
      expect(await created(page).inputValue()).toBe('1920~/1930');
      expect(await focusedId(page)).toBe('field_edtf_date_created.0.value');
      await meaning(page).getByText('Shown as “between about 1920 and 1930”').waitFor();
      const helper = page.getByRole('group', { name: 'Range of dates' });
      await field(page, 'field_edtf_date_created').getByRole('button', { name: 'Range…' }).click();
      await helper.getByLabel('No end: it continues').check();
      await helper.getByRole('button', { name: 'Use this range' }).click();
      expect(await created(page).inputValue()).toBe('1920~/..');
    };
    await onForm(use, { width: 390 });
  });
});

describe('form validation', () => {
  const title = (page: Page) => page.locator('[id="title.0.value"]');
  const links = (page: Page) => page.locator('.error-summary a').allTextContents();

  it('shows an error when a control loses the focus, and removes it after a correction', async () => {
    await onForm(async (page) => {
      const created = page.locator('[id="field_edtf_date_created.0.value"]');
      const error = page.locator('[id="field_edtf_date_created.0.value-error"]');
      await created.fill('29th May');
      await field(page, 'field_edtf_date_created').getByText('Not a date yet').waitFor();
      await page.keyboard.press('Tab');
      expect(await error.textContent()).toBe("Error: 29th May is not valid EDTF: Could not parse the date '29th May'.");
      expect(await created.getAttribute('aria-invalid')).toBe('true');
      await created.fill('1929-05-29');
      await page.keyboard.press('Tab');
      expect(await error.count()).toBe(0);
      expect(await created.getAttribute('aria-invalid')).toBeNull();
      // A button that is pressed gets its click, although an error appears above it.
      await created.fill('x');
      await page.locator('button[value="add field_edtf_date_created"]').click();
      await error.waitFor();
      expect(await values(page, 'field_edtf_date_created')).toContain('x');
      expect(await focusedId(page)).toBe('field_edtf_date_created.1.value');
    });
  });

  it('shows the error summary without sending the form', async () => {
    const use = async (page: Page, { requests }: Visit) => {
      const before = requests.length;
      await title(page).fill('\u{1F6A2}'.repeat(256));
      await addField(page, 'field_coordinates');
      await page.locator('[id="field_coordinates.0.lat"]').fill('north');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      expect(await links(page)).toEqual([
        'Title: may not be longer than 255 characters.',
        'Model is required.',
        'Location has a value of the wrong kind.',
      ]);
      expect(await page.evaluate('document.activeElement.className')).toBe('error-summary');
      expect(await page.title()).toStartWith('Error: ');
      expect(requests.slice(before).filter((each) => each.isNavigationRequest())).toEqual([]);
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.locator('.error-summary a').nth(1).click();
      expect(await focusedId(page)).toBe('field_model.0.target_id');
    };
    await onForm(use, { width: 390, scheme: 'dark' });
  });

  it('accepts every value that the server accepts', async () => {
    await onForm(async (page) => {
      // Browsers would count two units for each of these characters.
      await title(page).fill('\u{1F6A2}'.repeat(255));
      await page.locator('[id="field_model.0.target_id"]').selectOption({ label: 'Image' });
      await addField(page, 'field_coordinates');
      await page.locator('[id="field_coordinates.0.lat"]').fill(' 4.75e1 ');
      await page.locator('[id="field_coordinates.0.lng"]').fill('.5');
      await page.getByRole('button', { name: 'Save and view' }).last().click();
      await page.waitForURL(/\/node\/\d+$/);
      const id = /\d+$/.exec(page.url())?.[0];
      const node = (await (await repository.get(`/node/${id}?_format=json`, 'jane')).json()) as EntityJson;
      expect([...node.title[0].value]).toHaveLength(255);
      expect(node.field_coordinates[0].lat).toBe(47.5);
      await page.getByRole('status').filter({ hasText: 'Created Repository Item.' }).waitFor();
    });
  });
});

describe('the edit form', () => {
  const schemes = ['light', 'dark'] as const;

  it.each(schemes)('has no layout shift and is accessible in %s mode', async (scheme) => {
    const created = await repository.node({
      title: [{ value: 'A harbour' }],
      field_identifier: [{ value: 'a' }, { value: 'b' }],
      field_edtf_date_created: [{ value: '1929~' }],
      field_subject: [
        { target_id: await repository.build.term('subject', `Quays in ${scheme}`) },
        { target_id: await repository.build.term('subject', `Piers in ${scheme}`) },
      ],
    });
    await onForm(
      async (page) => {
        await page.getByText('Shown as “about 1929”').waitFor();
        expect(await field(page, 'field_subject').locator('.row-handle').count()).toBe(2);
        expect(await accessibilityViolations(page)).toEqual([]);
        // Nothing is changed yet.
        expect(await page.locator('.action-bar .state').textContent()).toBe('');
      },
      { path: `/node/${created.nid[0].value}/edit`, scheme, width: scheme === 'dark' ? 390 : 1280 },
    );
  });
});

describe('the form without JavaScript', () => {
  it('adds rows, keeps values and shows no controls that need JavaScript', async () => {
    await onForm(
      async (page) => {
        await page.locator('[id="field_identifier.0.value"]').fill('a');
        await page.locator('button[value="add field_identifier"]').click();
        expect(await values(page, 'field_identifier')).toEqual(['a', '']);
        expect(await page.locator('.row-handle, .meaning, [role=combobox][data-completions]').count()).toBe(0);
      },
      { hasScript: false },
    );
  });
});
