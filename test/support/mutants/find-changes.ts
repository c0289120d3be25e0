import {
  type BinaryExpression,
  type IfStatement,
  type Node,
  type PrefixUnaryExpression,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';

/** A change of one operator of a source file. */
export interface Change {
  /** Within the text of the file. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** From 1. */
  readonly line: number;
  /** The change in words: `< → <=`. */
  readonly label: string;
}

const OTHERS = new Map<SyntaxKind, string>([
  [SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [SyntaxKind.LessThanToken, '<='],
  [SyntaxKind.LessThanEqualsToken, '<'],
  [SyntaxKind.GreaterThanToken, '>='],
  [SyntaxKind.GreaterThanEqualsToken, '>'],
  [SyntaxKind.AmpersandAmpersandToken, '||'],
  [SyntaxKind.BarBarToken, '&&'],
  [SyntaxKind.PlusToken, '-'],
  [SyntaxKind.MinusToken, '+'],
  [SyntaxKind.AsteriskToken, '/'],
  [SyntaxKind.SlashToken, '*'],
  [SyntaxKind.PercentToken, '*'],
  [SyntaxKind.PlusEqualsToken, '-='],
  [SyntaxKind.MinusEqualsToken, '+='],
]);

const TEXTS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateExpression,
]);

const EXITS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ReturnStatement,
  SyntaxKind.ThrowStatement,
  SyntaxKind.ContinueStatement,
  SyntaxKind.BreakStatement,
]);

/** Returns the changes that are possible in a file, in the order of its text. Types, texts and comments have none. */
export function findChanges(file: SourceFile): Change[] {
  const changes: Change[] = [];
  visit(file);
  return changes;

  function visit(node: Node): void {
    const change = changeOf(node, file);
    if (change !== undefined) {
      const { line } = file.getLineAndCharacterOfPosition(change.start);
      changes.push({ ...change, line: line + 1 });
    }
    node.forEachChild(visit);
  }
}

function changeOf(node: Node, file: SourceFile): Omit<Change, 'line'> | undefined {
  switch (node.kind) {
    case SyntaxKind.BinaryExpression:
      return otherOperator(node as BinaryExpression, file);
    case SyntaxKind.PrefixUnaryExpression:
      return withoutNot(node as PrefixUnaryExpression, file);
    case SyntaxKind.IfStatement:
      return withoutExit(node as IfStatement, file);
    case SyntaxKind.TrueKeyword:
    case SyntaxKind.FalseKeyword: {
      if (node.parent.kind === SyntaxKind.LiteralType) return undefined;
      const other = node.kind === SyntaxKind.TrueKeyword ? 'false' : 'true';
      return replaced(node, file, other, `${node.getText(file)} → ${other}`);
    }
    default:
      return undefined;
  }
}

function otherOperator(node: BinaryExpression, file: SourceFile): Omit<Change, 'line'> | undefined {
  const { operatorToken, left, right } = node;
  // `||` would differ from `??` for empty values only, which many types exclude.
  if (operatorToken.kind === SyntaxKind.QuestionQuestionToken)
    return replaced(node, file, `(${right.getText(file)})`, `x ?? y → y`);
  const other = OTHERS.get(operatorToken.kind);
  if (other === undefined) return undefined;
  const isOfTexts = [left, right].some(hasText);
  if (isOfTexts && /^[+-]/.test(other)) return undefined;
  return replaced(operatorToken, file, other, `${operatorToken.getText(file)} → ${other}`);
}

/** Returns true for a text, and for a sum with one. */
function hasText(node: Node): boolean {
  if (node.kind !== SyntaxKind.BinaryExpression) return TEXTS.has(node.kind);
  const { left, right } = node as BinaryExpression;
  return hasText(left) || hasText(right);
}

function withoutNot(node: PrefixUnaryExpression, file: SourceFile): Omit<Change, 'line'> | undefined {
  if (node.operator !== SyntaxKind.ExclamationToken) return undefined;
  return replaced(node, file, node.operand.getText(file), '!x → x');
}

/** Removes the condition of an early exit, so that it is never taken. */
function withoutExit(node: IfStatement, file: SourceFile): Omit<Change, 'line'> | undefined {
  const { thenStatement, elseStatement, expression } = node;
  if (elseStatement !== undefined || !EXITS.has(thenStatement.kind)) return undefined;
  const exit = thenStatement.getText(file).split(/\W/, 1)[0];
  return replaced(expression, file, 'false', `if (x) ${exit} → if (false) ${exit}`);
}

function replaced(node: Node, file: SourceFile, replacement: string, label: string): Omit<Change, 'line'> {
  return { start: node.getStart(file), end: node.end, replacement, label };
}

/** Returns the text of a file after a change. */
export function changed(text: string, { start, end, replacement }: Change): string {
  return text.slice(0, start) + replacement + text.slice(end);
}
