import { describe, expect, it } from 'bun:test';
import { errorPage } from '../../../src/pages/error-page.tsx';
import { addressesIn, elementsOf, PLAIN_THEME } from '../../support/page.ts';

const SITE = { theme: PLAIN_THEME, siteName: 'Town <Archive>', baseUrl: 'https://repo.example/base', user: undefined };

describe('the error page', () => {
  it.each([
    [403, 'You are not authorized to access this page.'],
    [404, 'The requested page could not be found.'],
    [410, 'This page has been removed permanently'],
    [500, 'Please try again later.'],
    [502, 'Please try again later.'],
    [503, 'Please try again in a moment.'],
  ])('advises readers for %d instead of showing the API message', (status, sentence) => {
    const html = errorPage(status, 'Node 17 does not exist.', SITE).body;
    expect(elementsOf(html, 'main')[0]?.text).toContain(sentence);
    expect(elementsOf(html, '.kind')[0]?.text).toBe(`Error ${status}`);
    expect(html).not.toContain('Node 17');
  });

  it.each([400, 406, 415, 422])('shows the message of %d as text', (status) => {
    const message = 'Field "<script>" is unknown.';
    const html = errorPage(status, message, SITE).body;
    expect(elementsOf(html, 'main .lines')[0]?.text).toBe(message);
    expect(elementsOf(html, 'script').map(({ attributes, text }) => [attributes.src, text])).toEqual([
      [expect.stringMatching(/^\/base\/assets\/[0-9a-f]{16}\/find\.js$/), ''],
    ]);
  });

  it('is a complete page with one main heading, and excludes search engines', () => {
    const html = errorPage(404, '', SITE).body;
    expect(html).toStartWith('<!DOCTYPE html>\n<html lang="en">');
    expect(elementsOf(html, 'h1')).toHaveLength(1);
    expect(elementsOf(html, 'title')[0]?.text).toBe('Page not found · Town <Archive>');
    expect(elementsOf(html, 'meta[name=robots]')[0]?.attributes.content).toBe('noindex');
    expect(addressesIn(html)).toEqual([
      '#page-header-end',
      expect.stringMatching(/^\/base\/assets\/[0-9a-f]{16}\/frame\.css$/),
      expect.stringMatching(/^\/base\/assets\/[0-9a-f]{16}\/error\.css$/),
      '/base/favicon.ico',
      expect.stringMatching(/^\/base\/assets\/[0-9a-f]{16}\/favicon\.svg$/),
      '/base/opensearch.xml',
      expect.stringMatching(/^\/base\/assets\/[0-9a-f]{16}\/find\.js$/),
      '#page-content',
      '/base/',
      '/base/search',
      '/base/collections',
      '/base/user/login',
      '/base/',
      '/base/collections',
      '/base/openapi',
    ]);
  });
});
