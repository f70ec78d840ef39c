#pragma once

#include "models/dram/address_mapping/page_interleaving.hpp"
#include "models/dram/address_mapping/policy.hpp"
#include "models/dram/address_mapping/pseudo_random.hpp"
#include "models/policy/choice.hpp"

namespace tcsim::dram {

template <AddressMapping... Mappings>
using AddressMappingsOf = policy::Choice<Mappings...>;

/// The address mapping of a channel, by the words of dram.address_mapping: a line for each.
using AddressMappings = AddressMappingsOf<PseudoRandom,   //
                                          RowBankColumn,  //
                                          BankPermutation>;

}  // namespace tcsim::dram
