import { expect, test } from 'vitest';
import { locationFields } from '../../src/modules/locations/location-fields.ts';

const command = 'setup/with-runtime npx vitest run console/api-types --update';

/** The group of each field, and the maximum length of texts. websiteExtra is edited as utms. */
function fieldsText(): string {
  const { websiteExtra: _, ...fields } = locationFields;
  const lines = Object.entries(fields).map(([name, { schema, group }]) => {
    const maxLength = 'maxLength' in schema ? `, maxLength: ${schema.maxLength}` : '';
    return `  ${name}: { group: '${group}'${maxLength} },`;
  });
  return [
    '// Generated from src/modules/locations/location-fields.ts. To update:',
    `// ${command}`,
    'export const locationFields = {',
    ...lines,
    '} as const;',
    '',
  ].join('\n');
}

test('the console has the groups of the location fields', async () => {
  await expect(fieldsText()).toMatchFileSnapshot('../src/api/location-fields.ts');
});
