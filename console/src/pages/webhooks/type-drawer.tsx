import { Badge, Button, Drawer, Group, Stack, Table, Text, Title } from '@mantine/core';
import { Plus } from 'lucide-react';
import { useApi } from '../../api/use-api.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { inWords, t } from '../../texts/t.ts';
import { fieldsOf } from './type-fields.ts';
import classes from './webhooks.module.css';

interface Props {
  type: string | undefined;
  onClose: () => void;
  onAdd?: (type: string) => void;
}

export function TypeDrawer({ type, onClose, onAdd }: Props) {
  return (
    <Drawer opened={type !== undefined} onClose={onClose} title={type && inWords(type)} size="xl">
      {type !== undefined && (
        <Stack>
          <TypeDetails type={type} />
          {onAdd && (
            <Group justify="flex-end">
              <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => onAdd(type)}>
                {t('webhooks.catalogue.addOf')}
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </Drawer>
  );
}

function TypeDetails({ type }: { type: string }) {
  const found = useApi('GET /api/event-types/{type}', { path: { type } }, { staleTime: Number.POSITIVE_INFINITY });
  return (
    <Loaded query={found} height={320}>
      {(data) => (
        <Stack>
          <Text className={classes.code}>{type}</Text>
          <Text size="sm">{data.description}</Text>
          <Title order={3}>{t('webhooks.catalogue.fields')}</Title>
          <Fields schema={data.schema} />
          <div>
            <Title order={3}>{t('webhooks.catalogue.example')}</Title>
            <Text size="sm" c="dimmed">
              {t('webhooks.catalogue.exampleText')}
            </Text>
          </div>
          <JsonView value={{ event: data.example, signature: '…' }} label={t('webhooks.catalogue.example')} />
        </Stack>
      )}
    </Loaded>
  );
}

function Fields({ schema }: { schema: unknown }) {
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table aria-label={t('webhooks.catalogue.fields')} verticalSpacing={6} horizontalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col" w="32%">
              {t('webhooks.catalogue.field')}
            </Table.Th>
            <Table.Th scope="col">{t('webhooks.catalogue.fieldType')}</Table.Th>
            <Table.Th scope="col">{t('webhooks.catalogue.meaning')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fieldsOf(schema).map(({ name, type, isRequired, description, values }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={550} className={classes.code}>
                {name}
              </Table.Th>
              <Table.Td>
                <Text size="xs">{type}</Text>
                {!isRequired && (
                  <Badge size="xs" color="gray" miw="max-content">
                    {t('webhooks.catalogue.optional')}
                  </Badge>
                )}
              </Table.Td>
              <Table.Td>
                <Text size="sm">{description}</Text>
                {values.length > 0 && (
                  <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                    {values.length === 1
                      ? t('webhooks.catalogue.alwaysIs', { value: String(values[0]) })
                      : t('webhooks.catalogue.oneOf', { values: values.join(', ') })}
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
