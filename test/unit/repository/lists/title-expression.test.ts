import { expect, it } from 'bun:test';
import { titleExpression } from '../../../../src/repository/lists/title-expression.ts';

it.each([
  ['Harbour fi', '{title} : ("harbour" * AND "fi" *)'],
  ['a harbour', '{title} : ("a" AND "harbour" *)'],
  ['harbour HARBOUR harbour', '{title} : ("harbour" *)'],
  ['京', '{title} : ("京" *)'],
  ['a b c d e f g h i j k l', `{title} : (${[...'abcdefghij'].map((letter) => `"${letter}"`).join(' AND ')})`],
  ['-', undefined],
])('the title filter %p is %p', (text, expression) => {
  expect(titleExpression(text)).toBe(expression);
});
