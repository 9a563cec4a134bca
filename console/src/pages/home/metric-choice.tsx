import { ActionIcon, Alert, Stack, Text, Title } from '@mantine/core';
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { ResponseOf } from '../../api/call.ts';
import { useApi, useApiWrite } from '../../api/use-api.ts';
import { FormButtons } from '../../parts/form-buttons.tsx';
import { FormDrawer, useDirty } from '../../parts/form-drawer.tsx';
import { FormProblem } from '../../parts/form-problems.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { notifyDone } from '../../parts/notify.tsx';
import { t } from '../../texts/t.ts';
import classes from './home.module.css';

type Configuration = ResponseOf<'GET /api/home/key-metrics/configuration'>;
type Available = Configuration['available'][number];

export function MetricChoice({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <FormDrawer opened={isOpen} onClose={onClose} title={t('home.metrics.chooseTitle')}>
      {(cancel) => <Known onCancel={cancel} onSaved={onClose} />}
    </FormDrawer>
  );
}

interface EndProps {
  onCancel: () => void;
  onSaved: () => void;
}

function Known(end: EndProps) {
  const configuration = useApi('GET /api/home/key-metrics/configuration');
  return (
    <Loaded query={configuration} height={400}>
      {(data) => <Choice configuration={data} {...end} />}
    </Loaded>
  );
}

function Choice({ configuration, onCancel, onSaved }: EndProps & { configuration: Configuration }) {
  const { available } = configuration;
  const [before] = useState(configuration.metrics);
  const [chosen, setChosen] = useState<readonly string[]>(before);
  useDirty(chosen.join() !== before.join());
  const save = useApiWrite('PUT /api/home/key-metrics/configuration', {
    changes: ['GET /api/home/key-metrics', 'GET /api/home/key-metrics/configuration'],
    onSuccess: () => {
      notifyDone(t('home.metrics.saved'));
      onSaved();
    },
  });
  const shown = chosen.flatMap((name) => available.find((one) => one.name === name) ?? []);
  const others = available.filter(({ name }) => !chosen.includes(name));
  const move = (from: number, to: number) => {
    const next = [...chosen];
    next.splice(to, 0, ...next.splice(from, 1));
    setChosen(next);
  };
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {t('home.metrics.chooseText')}
      </Text>
      <Title order={3}>{t('home.metrics.shown')}</Title>
      {shown.length === 0 && <Alert color="orange">{t('home.metrics.atLeastOne')}</Alert>}
      <ul className={classes.chosen}>
        {shown.map((metric, index) => (
          <Entry key={metric.name} metric={metric}>
            <Small
              label={t('home.metrics.up', { name: metric.title })}
              isOff={index === 0}
              onClick={() => move(index, index - 1)}
            >
              <ArrowUp size={16} aria-hidden />
            </Small>
            <Small
              label={t('home.metrics.down', { name: metric.title })}
              isOff={index === shown.length - 1}
              onClick={() => move(index, index + 1)}
            >
              <ArrowDown size={16} aria-hidden />
            </Small>
            <Small
              label={t('home.metrics.hide', { name: metric.title })}
              onClick={() => setChosen(chosen.filter((name) => name !== metric.name))}
            >
              <X size={16} aria-hidden />
            </Small>
          </Entry>
        ))}
      </ul>
      {others.length > 0 && <Title order={3}>{t('home.metrics.more')}</Title>}
      <ul className={classes.chosen}>
        {others.map((metric) => (
          <Entry key={metric.name} metric={metric}>
            <Small
              label={t('home.metrics.show', { name: metric.title })}
              onClick={() => setChosen([...chosen, metric.name])}
            >
              <Plus size={16} aria-hidden />
            </Small>
          </Entry>
        ))}
      </ul>
      <Stack gap="xs" className={classes.choiceEnd}>
        <FormProblem message={save.error?.message} />
        <FormButtons
          onCancel={onCancel}
          disabled={shown.length === 0}
          loading={save.isPending}
          onClick={() => save.mutate({ body: { metrics: [...chosen] } })}
        >
          {t('parts.form.save')}
        </FormButtons>
      </Stack>
    </Stack>
  );
}

function Entry({ metric, children }: { metric: Available; children: React.ReactNode }) {
  return (
    <li className={classes.choice}>
      <div className={classes.choiceText}>
        <Text size="sm" fw={550}>
          {metric.title}
        </Text>
        <Text size="xs" c="dimmed">
          {metric.description}
        </Text>
      </div>
      {children}
    </li>
  );
}

interface SmallProps {
  label: string;
  isOff?: boolean;
  onClick: () => void;
  children: React.ReactNode;
}

function Small({ label, isOff = false, onClick, children }: SmallProps) {
  return (
    <ActionIcon className={classes.small} aria-label={label} title={label} disabled={isOff} onClick={onClick}>
      {children}
    </ActionIcon>
  );
}
