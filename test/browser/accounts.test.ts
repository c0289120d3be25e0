import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright-core';
import { createFindUser } from '../../src/repository/users/find-user.ts';
import { requestMailChange } from '../../src/repository/users/mail-change.ts';
import { known } from '../../src/repository/users/manage-users.ts';
import { accessibilityViolations } from '../support/accessibility.ts';
import { type Visit, type VisitOptions, visit } from '../support/browser.ts';
import { shoot } from '../support/screenshot.ts';
import { settle } from '../support/settled-page.ts';
import { sized } from '../support/size.ts';
import { ADMIN_PASSWORD, createTestRepository, type TestRepository } from '../support/test-repository.ts';

let repository: TestRepository;
let jane: number;
beforeAll(async () => {
  repository = await createTestRepository(
    {},
    { model: 'roles: { leaver: { label: May leave, permissions: [access content, cancel account] } }' },
  );
  jane = await repository.user('jane', 'repository_editor');
  await repository.user('Ada of the long name with many words and letters', 'content_editor', 'workbench_user');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

/** Presses a button and waits for the next page. */
async function press(page: Page, name: string | RegExp): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.getByRole('button', { name, exact: true }).click()]);
  await settle(page);
}

async function signInAs(name: string, password: string, options: VisitOptions = {}): Promise<Visit> {
  const seen = await visit(`${repository.url}/user/login`, options);
  await seen.page.getByLabel('User name').fill(name);
  await seen.page.locator('#pass').fill(password);
  await press(seen.page, 'Sign in');
  return seen;
}

const shot = (page: Page, name: string) => shoot(page, `account-${name}`, { fullPage: true });

/** Returns the page as it must not be: violations, and a window that scrolls sideways. */
async function faults({ page, complaints }: Visit): Promise<readonly string[]> {
  // The window of a phone grows with a page that is too wide.
  const width = page.viewportSize()?.width ?? 0;
  const sideways = (await page.evaluate<number>('document.documentElement.scrollWidth')) > width;
  return [...complaints, ...(await accessibilityViolations(page)), ...(sideways ? ['scrolls sideways'] : [])];
}

describe('an invited user', () => {
  it.each([true, false])('sets and changes a password, and ends a session (JavaScript: %p)', async (hasScript) => {
    const name = hasScript ? 'newcomer' : 'scriptless';
    const admin = await signInAs('admin', ADMIN_PASSWORD, { hasScript });
    await admin.page.goto(`${repository.url}/admin/people/create`);
    await admin.page.getByLabel('User name').fill(name);
    await admin.page.getByLabel('Repository editor').check();
    await press(admin.page, 'Add the person');
    const link = (await admin.page.locator('#made-link').textContent()) ?? '';
    if (hasScript) await shot(admin.page, 'link');

    const user = await visit(link.trim(), { hasScript });
    await user.page.locator('#pass_new').fill('several words in a row');
    await user.page.locator('#pass_again').fill('several words in a row');
    await press(user.page, 'Set the password');
    expect(await user.page.locator('.user-name').textContent()).toContain(name);
    if (hasScript) {
      await user.page.getByText('Your password is set, and you are signed in.').waitFor();
    }

    await user.page.getByRole('link', { name: 'Change the password' }).click();
    await user.page.locator('#pass').fill('several words in a row');
    await user.page.locator('#pass_new').fill('some other words');
    await user.page.locator('#pass_again').fill('some other words');
    await press(user.page, 'Change the password');

    const elsewhere = await signInAs(name, 'some other words', { hasScript });
    await user.page.getByRole('link', { name: 'Sessions' }).click();
    expect(await user.page.locator('.session-list > li').count()).toBe(2);
    const other = user.page.locator('.session-list > li', { hasNotText: 'this session' });
    await Promise.all([user.page.waitForNavigation(), other.getByRole('button').click()]);
    expect(await user.page.locator('.session-list > li').count()).toBe(1);
    await elsewhere.page.goto(`${repository.url}/user/password`);
    expect(await elsewhere.page.locator('h1').textContent()).toBe('Forgotten password');
    await Promise.all([admin.close(), user.close(), elsewhere.close()]);
  });
});

describe('the password form', () => {
  it('reveals the password and leads to errors with the keyboard alone', async () => {
    const seen = await signInAs('jane', 'jane');
    const { page } = seen;
    await page.goto(`${repository.url}/user/password`);
    await page.locator('#pass').focus();
    await page.keyboard.type('jane');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await page.locator('#pass').getAttribute('type')).toBe('text');
    expect(await page.getByRole('button', { name: 'Hide: Current password' }).count()).toBe(1);
    await page.keyboard.press('Tab');
    await page.keyboard.type('one of several words');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('two of several words');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(await page.evaluate<string>('document.activeElement.className')).toBe('error-summary');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('pass_again');
    expect((await faults(seen)).filter((line) => !line.includes('422'))).toEqual([]);
    await shot(page, 'password-error');
    await seen.close();
  });
});

describe('the account cancellation page', () => {
  it.each([true, false])(
    'deletes another account, and the own account with its password (JavaScript: %p)',
    async (hasScript) => {
      const name = hasScript ? 'parting' : 'parting-scriptless';
      const id = await repository.user(name, 'leaver');
      const other = await repository.user(`other-${name}`);
      const admin = await signInAs('admin', ADMIN_PASSWORD, { hasScript });
      await admin.page.goto(`${repository.url}/user/${other}`);
      await admin.page.getByRole('link', { name: 'Block or delete the account' }).click();
      // By keyboard alone: the second choice, the name, and the button.
      await admin.page.getByLabel('Block the account').focus();
      await admin.page.keyboard.press('ArrowDown');
      await admin.page.keyboard.press('Tab');
      await Promise.all([admin.page.waitForNavigation(), admin.page.keyboard.press('Enter')]);
      expect(await admin.page.locator('.error-summary').textContent()).toContain('to confirm the deletion');
      if (hasScript) {
        await shot(admin.page, 'delete-error');
        expect((await faults(admin)).filter((line) => !line.includes('422'))).toEqual([]);
      }
      await admin.page.getByLabel('User name').fill(`other-${name}`);
      await press(admin.page, 'Continue');
      expect(new URL(admin.page.url()).pathname).toBe('/admin/people');
      if (hasScript) await admin.page.getByText(`other-${name} is deleted.`).waitFor();

      const user = await signInAs(name, name, { hasScript });
      await user.page.goto(`${repository.url}/user/${id}`);
      await user.page.getByRole('link', { name: 'Cancel the account' }).click();
      await user.page.locator('#pass').fill(name);
      await press(user.page, 'Cancel my account');
      expect(await user.page.getByRole('link', { name: 'Sign in' }).count()).toBe(1);
      await Promise.all([admin.close(), user.close()]);
    },
  );
});

describe('the page that confirms a mail address', () => {
  it.each([
    ['desk', { width: 1280 }],
    ['phone-dark', { width: 390, scheme: 'dark' }],
    ['scriptless', { hasScript: false }],
  ] as [string, VisitOptions][])('sets the pending address, on a %s', async (device, options) => {
    const name = `reader-${device}`;
    const id = await repository.user(name);
    const { services } = repository.running;
    const account = known(await createFindUser(services.database).byId(id), name);
    const token = await requestMailChange(services, account, `${name}@example.org`);
    const user = await signInAs(name, name, options);
    await user.page.goto(`${repository.url}/user/${id}/edit`);
    expect(await user.page.locator('#mail').inputValue()).toBe('');
    expect(await user.page.locator('#mail-help').textContent()).toContain(`${name}@example.org waits to be confirmed`);
    if (options.hasScript !== false) expect(await faults(user)).toEqual([]);
    await user.page.goto(`${repository.url}/user/mail/${token}`);
    if (options.hasScript !== false) {
      await shot(user.page, `confirm-mail-${device}`);
      expect(await faults(user)).toEqual([]);
    }
    await press(user.page, 'Confirm the address');
    await user.page.goto(`${repository.url}/user/${id}/edit`);
    expect(await user.page.locator('#mail').inputValue()).toBe(`${name}@example.org`);
    await user.close();
  });
});

const PAGES: [name: string, path: () => string][] = [
  ['people', () => '/admin/people'],
  ['add', () => '/admin/people/create'],
  ['edit', () => `/user/${jane}/edit`],
  ['block', () => `/user/${jane}/cancel`],
  ['cancel', () => '/user/1/cancel'],
  ['reset-link', () => `/user/${jane}/reset-link`],
  ['sessions', () => '/user/1/sessions'],
  ['password', () => '/user/password'],
  ['user', () => `/user/${jane}`],
];

const DEVICES: [name: string, options: VisitOptions][] = [
  ['desk', { width: 1280 }],
  ['phone', { width: 390 }],
  ['desk-dark', { width: 1280, scheme: 'dark' }],
];

describe.each(sized(DEVICES.slice(0, 2), DEVICES))('on a %s', (device, options) => {
  let seen: Visit;
  beforeAll(async () => {
    seen = await signInAs('admin', ADMIN_PASSWORD, options);
  });
  afterAll(() => seen.close());

  it.each(PAGES)('the page %s has no accessibility violations and fits', async (name, path) => {
    const response = await seen.page.goto(repository.url + path());
    await settle(seen.page);
    expect(response?.status()).toBe(200);
    await shot(seen.page, `${name}-${device}`);
    expect(await faults(seen)).toEqual([]);
  });

  it.each([
    ['forgotten', '/user/password'],
    ['invalid-link', '/user/reset/unknown'],
    ['invalid-mail-link', '/user/mail/unknown'],
  ])('the page %s, opened without a session, has no accessibility violations and fits', async (name, path) => {
    const opened = await visit(repository.url + path, options);
    await shot(opened.page, `${name}-${device}`);
    expect(await faults(opened)).toEqual([]);
    await opened.close();
  });
});
