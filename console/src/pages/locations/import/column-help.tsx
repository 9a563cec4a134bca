import { Accordion, Card, Code, List, Text } from '@mantine/core';
import { t } from '../../../texts/t.ts';

const required = ['name', 'street', 'city', 'country', 'categories'];

export function ColumnHelp() {
  return (
    <Card padding={0}>
      <Accordion variant="filled" order={2}>
        <Accordion.Item value="columns">
          <Accordion.Control fw={600}>{t('imports.help.title')}</Accordion.Control>
          <Accordion.Panel>
            <List size="sm" spacing={6}>
              <List.Item>{t('imports.help.form')}</List.Item>
              <List.Item>
                {t('imports.help.required')}{' '}
                {required.map((name) => (
                  <Code key={name} mr={4}>
                    {name}
                  </Code>
                ))}
              </List.Item>
              <List.Item>{t('imports.help.match')}</List.Item>
              <List.Item>{t('imports.help.empty')}</List.Item>
              <List.Item>
                {t('imports.help.hours')} <Code>mondayFrom1</Code> <Code>mondayTo1</Code> <Code>mondayFrom2</Code>{' '}
                <Code>mondayTo2</Code>
              </List.Item>
              <List.Item>{t('imports.help.lists')}</List.Item>
              <List.Item>{t('imports.help.categories')}</List.Item>
            </List>
            <Text size="sm" c="dimmed" mt="sm">
              {t('imports.help.errors')}
            </Text>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Card>
  );
}
