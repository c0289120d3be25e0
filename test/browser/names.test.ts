import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { accessibilityViolations } from '../support/accessibility.ts';
import { loadNames } from '../support/authority-list.ts';
import type { Visit, VisitOptions } from '../support/browser.ts';
import { ADD_ITEM, type FormBrowser, signedIn } from '../support/form-call.ts';
import { onQuietPage } from '../support/quiet-page.ts';
import { shoot } from '../support/screenshot.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const MAX_CLICKS = 8;
const PAUSED = 'VIAF cannot be asked at present: it has not answered within 5 s.';
/** More than the tab stops of a form. */
const MAX_TABS = 100;
/** The name of the control with the focus; an editor has that of its text area. */
const FOCUSED = `((active) => active.name || (active.matches('[role=textbox]') ?
  active.closest('.field').querySelector('textarea[name]').name : ''))(document.activeElement)`;

let repository: TestRepository;
let jane: FormBrowser;

beforeAll(async () => {
  repository = await createTestRepository({ siteName: 'Harbour City Archives' });
  await repository.user('jane', 'repository_editor');
  jane = await signedIn(repository, 'jane');
  await loadNames(repository, ['Ferries', 'Ferry terminals'], { kind: 'topic' });
  for (const name of ['Halifax', 'Harbours'])
    await repository.build.term(name === 'Halifax' ? 'geo_location' : 'subject', name);
});
afterAll(() => repository.stop());

const onForm = (use: (page: Page, visited: Visit) => Promise<void>, options: VisitOptions = {}) =>
  onQuietPage(repository.url + ADD_ITEM, { cookie: jane.session?.cookie, ...options }, use);
const control = (page: Page, name: string) => page.locator(`[id="${name}"]`);
const agent = (page: Page) => control(page, 'field_linked_agent.0.target_id');
const note = (page: Page, field: string) => page.locator(`.form-field[data-name=${field}] .name-note`);
const option = (page: Page, name: string) => page.getByRole('option', { name });
const fits = (page: Page) =>
  page.evaluate<boolean>('document.documentElement.scrollWidth <= document.documentElement.clientWidth');

async function person(name: string, begin: string, end: string): Promise<number> {
  const answer = await repository.post(
    '/taxonomy/term?_format=json',
    {
      ...{ vid: 'person', name: [{ value: name }] },
      ...{ field_cat_date_begin: [{ value: begin }], field_cat_date_end: [{ value: end }] },
    },
    'admin',
  );
  return ((await answer.json()) as EntityJson).tid[0].value;
}

describe('a name', () => {
  it('that is new says so to everyone, and becomes a person with the keyboard', async () => {
    const use = async (page: Page) => {
      await agent(page).focus();
      await page.keyboard.insertText('Boyle, Margaret');
      await option(page, 'Create “Boyle, Margaret” as a person').waitFor();
      const said = note(page, 'field_linked_agent');
      expect(await said.textContent()).toBe('Nothing is called “Boyle, Margaret”. Choose another name, or create it.');
      expect([await said.isVisible(), await said.getAttribute('role')]).toEqual([true, 'status']);
      expect(await page.locator('.suggestions:visible [role=option]').allTextContents()).toEqual([
        'Create “Boyle, Margaret” as an organization',
        'Create “Boyle, Margaret” as a family',
        'Create “Boyle, Margaret” as a person',
      ]);
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await fits(page)).toBe(true);
      await shoot(page, 'names-create-390-dark');
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await until(async () => /^Boyle, Margaret \(\d+\)$/.test(await agent(page).inputValue()));
      expect(await said.isVisible()).toBe(false);
    };
    await onForm(use, { width: 390, scheme: 'dark' });
  });

  it('is told from others by dates and items, and is not chosen by itself', async () => {
    const older = await person('Smith, John', '1850', '1910');
    await person('Smith, John', '1901', '1980');
    await repository.node({ field_linked_agent: [{ target_id: older, rel_type: 'relators:pht' }] });
    await onForm(async (page) => {
      await agent(page).focus();
      await page.keyboard.insertText('smith, john');
      const old = page.getByRole('option').filter({ hasText: '1850–1910' });
      await old.waitFor();
      expect(await page.locator('.suggestions:visible [role=option]').allTextContents()).toEqual([
        expect.stringContaining(`Smith, JohnPerson · 1850–1910 · 1 item · (${older})`),
        expect.stringContaining('Smith, JohnPerson · 1901–1980 · 0 items'),
      ]);
      await shoot(page, 'names-equal-1280-light');
      await page.keyboard.press('Tab');
      await note(page, 'field_linked_agent').getByText('2 names are “smith, john”. Choose one of the list.').waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      await agent(page).click();
      await old.click();
      expect(await agent(page).inputValue()).toBe(`Smith, John (${older})`);
      expect(await note(page, 'field_linked_agent').textContent()).toBe('');
    });
  });

  it('of an authority list becomes a term, and markup stays text', async () => {
    await onForm(async (page) => {
      const subject = control(page, 'field_subject.0.target_id');
      await subject.focus();
      await page.keyboard.insertText('ferr');
      await option(page, 'Ferry terminals').click();
      await until(async () => /^Ferry terminals \(\d+\)$/.test(await subject.inputValue()));
      await subject.fill('<b>Bold</b>');
      await option(page, 'Create “<b>Bold</b>” as a topic').waitFor();
      expect(await page.locator('.suggestions b').count()).toBe(0);
      await subject.fill('x'.repeat(300));
      await note(page, 'field_subject')
        .getByText('A name may not be longer than 255 characters; this one has 300.')
        .waitFor();
      expect(await page.locator('.suggestions:visible [role=option]').count()).toBe(0);
    });
  });

  it('of a slow authority on the web comes below the names that are there already', async () => {
    const address = '**/entity/completions/**/field_subject?**';
    await onForm(async (page) => {
      let answer = () => {};
      const asked = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const record = {
        ...{ uri: 'http://example.org/1', name: 'Harbour seals', match: null, kind: 'topic', years: '', scope: null },
        ...{ list: 'GND', source: 'gnd', vocabulary: 'subject', bundle: 'Subject', id: null, creates: true },
      };
      await page.route(address, async (route) => {
        const isService = new URL(route.request().url()).searchParams.has('service');
        const own = isService
          ? { completions: [], vocabularies: [], authorities: [record], notices: [PAUSED] }
          : undefined;
        if (isService) await asked;
        if (own !== undefined) return route.fulfill({ json: own });
        const response = await route.fetch();
        return route.fulfill({ json: { ...(await response.json()), services: [{ name: 'gnd', label: 'GND' }] } });
      });
      await control(page, 'field_subject.0.target_id').focus();
      await page.keyboard.insertText('harbour');
      await option(page, 'Harbours').waitFor();
      await page.keyboard.press('ArrowDown');
      answer();
      await option(page, 'Harbour seals').waitFor();
      await note(page, 'field_subject').getByText(PAUSED).waitFor();
      const texts = await page.locator('.suggestions:visible [role=option]').allTextContents();
      expect(texts.map((text) => text.slice(0, 8))).toEqual(['Harbours', 'Create “', 'Harbour ']);
      // The active option stays.
      await page.keyboard.press('Enter');
      expect(await control(page, 'field_subject.0.target_id').inputValue()).toStartWith('Harbours (');
    });
  });
});

describe('a photograph with a new photographer, two topics, a date range, rights and a place', () => {
  it('is described with at most 8 clicks, on one page', async () => {
    const use = async (page: Page, { requests }: Visit) => {
      let clicks = 0;
      const click = async (target: ReturnType<Page['locator']>) => {
        clicks += 1;
        await target.click();
      };
      const type = async (name: string, text: string) => {
        for (let tabs = 0; (await page.evaluate(FOCUSED)) !== name; tabs += 1) {
          if (tabs === MAX_TABS) throw new Error(`no tab stop ${name}`);
          await page.keyboard.press('Tab');
        }
        await page.keyboard.type(text);
      };
      const chosen = (name: string) => until(async () => /\(\d+\)$/.test(await control(page, name).inputValue()));
      const before = requests.length;
      await click(control(page, 'title.0.value'));
      await type('title.0.value', 'Ferry in the harbour');
      await type('field_model.0.target_id', 'Image');
      await type('field_linked_agent.0.rel_type', 'Photographer');
      await type('field_linked_agent.0.target_id', 'Notman, William');
      await click(option(page, 'Create “Notman, William” as a person'));
      await chosen('field_linked_agent.0.target_id');
      await type('field_edtf_date_created.0.value', '1920/1930');
      await type('field_subject.0.target_id', 'harbours');
      await click(option(page, 'Harbours'));
      await click(page.locator('button[value="add field_subject"]'));
      await page.keyboard.type('ferries');
      await click(option(page, 'Ferries Topic'));
      await chosen('field_subject.1.target_id');
      await type('field_geographic_subject.0.target_id', 'hal');
      await click(option(page, 'Halifax'));
      await type('field_rights.0.value', 'http://rightsstatements.org/vocab/InC/1.0/');
      await shoot(page, 'names-described-1280-light', { fullPage: true });
      await click(page.getByRole('button', { name: 'Save and view' }).last());
      await page.waitForURL(/\/node\/\d+$/);
      expect(clicks).toBeLessThanOrEqual(MAX_CLICKS);
      const pages = requests.slice(before).filter((each) => each.isNavigationRequest());
      expect(pages.map((each) => each.method())).toEqual(['POST', 'GET']);
      const id = /\d+$/.exec(page.url())?.[0];
      const node = (await (await repository.get(`/node/${id}?_format=json`, 'jane')).json()) as EntityJson;
      expect(node).toMatchObject({
        field_linked_agent: [{ rel_type: 'relators:pht' }],
        field_edtf_date_created: [{ value: '1920/1930' }],
        field_rights: [{ value: expect.stringContaining('rightsstatements.org/vocab/InC/1.0/') }],
      } as object);
      expect([node.field_subject.length, node.field_geographic_subject.length]).toEqual([2, 1]);
      const shown = await page.locator('article').textContent();
      for (const name of ['Notman, William', 'Harbours', 'Ferries', 'Halifax']) expect(shown).toContain(name);
    };
    await onForm(use);
  }, 60_000);
});
