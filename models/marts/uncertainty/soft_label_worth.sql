{{ config(enabled=project_name == 'dissent') }}

with

predictions as (

    select * from {{ ref('dissent', 'model_predictions') }}

),

model_agreement as (

    select * from {{ ref('dissent', 'model_agreement') }}

),

vote_counts as (

    select * from {{ ref('dissent', 'vote_counts') }}

),

items as (

    select * from {{ ref('dissent', 'items') }}
    where votes >= 2

),

provenance as (

    select * from {{ ref('dissent', 'dataset_provenance') }}

),

-- A judge that only names a label puts all the probability there.
filled as (

    select
        dataset_id,
        model_set,
        model_id,
        item_id,
        label,
        coalesce(probability, cast(1 as double)) as probability,
        probability is null as is_named_only
    from predictions

),

averaged as (

    select
        filled.dataset_id,
        filled.model_set,
        'mean of models' as model_id,
        filled.item_id,
        filled.label,
        -- A label that a model does not list has probability 0 there: divide by all models.
        sum(filled.probability) / max(model_agreement.models) as probability,
        bool_or(filled.is_named_only) as is_named_only
    from filled
    inner join model_agreement
        on filled.dataset_id = model_agreement.dataset_id
        and filled.model_set = model_agreement.model_set
        and filled.item_id = model_agreement.item_id
    group by filled.dataset_id, filled.model_set, filled.item_id, filled.label

),

soft_labels as (

    select * from filled
    union all
    select * from averaged

),

-- The squared distance of probabilities p and shares q is sum p^2 + sum q^2 - 2 sum p q. Only the last needs both.
squared as (

    select
        dataset_id,
        model_set,
        model_id,
        item_id,
        sum(probability * probability) as sum_squares,
        bool_or(is_named_only) as is_named_only
    from soft_labels
    group by dataset_id, model_set, model_id, item_id

),

summed as (

    select
        squared.dataset_id,
        items.panel,
        squared.model_set,
        squared.model_id,
        not bool_or(squared.is_named_only) as has_probabilities,
        count(*) as items,
        sum(items.pairwise_disagreement) as disagreement,
        -- What distance the shares of the votes themselves have from the truth.
        sum(items.pairwise_disagreement / items.votes) as noise,
        sum(squared.sum_squares) as model_squares,
        sum((1 + (1 - items.pairwise_disagreement) * (items.votes - 1)) / items.votes) as share_squares
    from squared
    inner join items
        on squared.dataset_id = items.dataset_id
        and squared.item_id = items.item_id
    group by squared.dataset_id, items.panel, squared.model_set, squared.model_id

),

crossed as (

    select
        soft_labels.dataset_id,
        items.panel,
        soft_labels.model_set,
        soft_labels.model_id,
        sum(soft_labels.probability * vote_counts.votes / items.votes) as products
    from soft_labels
    inner join vote_counts
        on soft_labels.dataset_id = vote_counts.dataset_id
        and soft_labels.item_id = vote_counts.item_id
        and soft_labels.label = vote_counts.label
    inner join items
        on vote_counts.dataset_id = items.dataset_id
        and vote_counts.panel = items.panel
        and vote_counts.item_id = items.item_id
    group by soft_labels.dataset_id, items.panel, soft_labels.model_set, soft_labels.model_id

),

measured as (

    select
        summed.*,
        greatest(
            cast(0 as double),
            summed.model_squares + summed.share_squares - 2 * coalesce(crossed.products, 0)
        ) as distance
    from summed
    left join crossed
        on summed.dataset_id = crossed.dataset_id
        and summed.panel = crossed.panel
        and summed.model_set = crossed.model_set
        and summed.model_id = crossed.model_id

)

select
    measured.dataset_id,
    measured.panel,
    measured.model_set,
    measured.model_id,
    measured.has_probabilities,
    measured.items,
    measured.disagreement / measured.items as mean_pairwise_disagreement,
    measured.distance / measured.items as mean_distance,
    (measured.distance - measured.noise) / measured.items as mean_distance_from_truth,
    case
        when measured.disagreement > 0 and measured.distance > measured.noise
            then measured.disagreement / (measured.distance - measured.noise)
    end as voters_worth,
    case
        when measured.disagreement > 0 and measured.distance <= measured.noise
            then measured.disagreement / measured.noise
    end as at_least_voters,
    case
        when measured.disagreement = 0 then 'nobody disagrees on any item'
        when measured.distance <= measured.noise
            then 'closer to the shares than these votes can tell: see at_least_voters'
    end as reason,
    provenance.provenance
from measured
left join provenance
    on measured.dataset_id = provenance.dataset_id
