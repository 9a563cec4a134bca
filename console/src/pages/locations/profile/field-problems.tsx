import { Text } from '@mantine/core';
import type { FieldProblem } from '../../../api/api-problem.ts';
import { fieldProblemText } from '../../../parts/field-problem-text.ts';

interface Props {
  problems: readonly FieldProblem[];
  /** Label of an entry. */
  entryName?: (index: number) => string;
}

/** Errors of fields without an input of their own. */
export function FieldProblems({ problems, entryName }: Props) {
  if (problems.length === 0) return null;
  const texts = problems.map((problem) => fieldProblemText(problem, entryName));
  return (
    <Text size="sm" c="var(--mantine-color-error)" role="alert">
      {[...new Set(texts)].join(' ')}
    </Text>
  );
}
