import { type Visit, type VisitOptions, visit } from './browser.ts';
import { settle } from './settled-page.ts';
import { ADMIN_PASSWORD } from './test-repository.ts';

/** Opens a page in a real Chromium after signing in with the form, as an editor does. */
export async function visitSignedIn(
  url: string,
  path: string,
  options: VisitOptions & { readonly name?: string } = {},
): Promise<Visit> {
  const { name = 'admin', ...others } = options;
  const opened = await visit(`${url}/user/login`, others);
  await opened.page.fill('input[name=name]', name);
  await opened.page.fill('input[type=password]', name === 'admin' ? ADMIN_PASSWORD : name);
  await Promise.all([
    opened.page.waitForURL((at) => at.pathname !== '/user/login'),
    opened.page.press('input[type=password]', 'Enter'),
  ]);
  await opened.page.goto(url + path);
  await settle(opened.page);
  return opened;
}
